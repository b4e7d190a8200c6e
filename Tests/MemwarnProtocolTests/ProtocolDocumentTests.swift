import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct ProtocolDocumentTests {
    @Test("answers are counted by the times that PROTOCOL.md states")
    func answerTimes() throws {
        let text = String(decoding: try Repository.read("docs/PROTOCOL.md"), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.contains("| answers | answers in time") })
        let times = try #require(line.split(separator: "up to ").last?.split(separator: ", and longer").first)
        let bounds = times.split(separator: ", ").compactMap { Double($0) }.map { UInt64($0 * 1000) }
        #expect(AnswerHistogram.bounds == bounds)
    }

    @Test("the code writes the bytes of the worked example in PROTOCOL.md")
    func workedExample() throws {
        let text = String(decoding: try Repository.read("docs/PROTOCOL.md"), as: UTF8.self)
        let blocks = text.split(separator: "```hex\n", omittingEmptySubsequences: false).dropFirst()
            .map { [UInt8](hex: String($0.prefix { $0 != "`" })) }
        let scope = "/system.slice/gallery.service"
        let frames = [
            Frame(
                sequence: 1,
                message: .hello(
                    Hello(releasable: 64 << 20, name: "gallery", accepts: .commands, allocator: .glibc)
                )
            ),
            Frame(
                sequence: 1,
                message: .welcome(
                    Welcome(hostID: 7, level: .normal, reason: PressureReason(.unknown), scope: scope)
                )
            ),
            Frame(
                sequence: 42,
                message: .warning(
                    Warning(
                        level: .critical,
                        options: .answerWanted,
                        reason: PressureReason(
                            .someStall,
                            figure: .percent(43.2),
                            threshold: .percent(40),
                            limit: BindingLimit(.max, bytes: 512 << 20, path: scope)
                        ),
                        bytesWanted: 32 << 20,
                        deadline: 1000,
                        scope: scope
                    )
                )
            ),
            Frame(
                sequence: 42,
                message: .acknowledgement(
                    Acknowledgement(
                        released: 48 << 20,
                        residentBefore: 80 << 20,
                        residentAfter: 33 << 20,
                        duration: 12_345,
                        releasable: 16 << 20
                    )
                )
            ),
            Frame(sequence: 3, message: .command(CommandRequest(name: "status"))),
            Frame(sequence: 3, message: .outcome(CommandReply(result: .done, text: "8 pictures"))),
        ]
        #expect(blocks == (try frames.map { try $0.encoded() }))
    }
}
