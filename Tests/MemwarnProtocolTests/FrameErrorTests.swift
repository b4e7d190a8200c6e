import MemwarnProtocol
import Testing

struct FrameErrorTests {
    @Test(
        "every error has a sentence and its code on the wire",
        arguments: [
            (FrameError.shortHeader(3), Refusal.Code.malformed, "the packet has 3 bytes, too few for a header of 16"),
            (.tooLong(5000), .malformed, "the packet has 5000 bytes, more than the 4096 a frame may have"),
            (.version(2), .unsupportedVersion, "protocol version 2 is not supported; send version 1"),
            (.reserved(7), .malformed, "the reserved bytes of the header are 7; send 0"),
            (
                .length(stated: 40, actual: 32), .malformed,
                "the length in the header is 40, but the packet has 32 bytes"
            ),
            (.type(99), .unexpectedMessage, "there is no message of type 99 in version 1"),
            (.truncated(field: "name"), .malformed, "the frame ends before the end of its field name"),
            (.value(field: "level", 9), .malformed, "the field level cannot be 9"),
            (.text(field: "name"), .malformed, "the field name is not UTF-8 without NUL"),
            (
                .textLength(field: "name", bytes: 65, limit: 1...64), .malformed,
                "the field name has 65 bytes; it takes 1 to 64"
            ),
            (.noRoom(bytes: 8), .malformed, "the frame does not fit a buffer of 8 bytes; one of 4096 takes any"),
        ]
    )
    func description(error: FrameError, code: Refusal.Code, sentence: String) {
        #expect(error.description == sentence)
        #expect(Refusal(error) == Refusal(code: code, message: sentence))
    }
}
