/// Why bytes are not a frame, or a frame cannot be written.
package enum FrameError: Error, Equatable, Sendable {
    /// A packet of this size is too small for a header.
    case shortHeader(Int)
    /// A packet of this size is larger than any frame.
    case tooLong(Int)
    /// The frame belongs to another version of the protocol.
    case version(UInt8)
    /// The header's reserved bytes are not zero.
    case reserved(UInt16)
    /// The length in the header is not that of the packet: one was cut, or the packet holds two frames.
    case length(stated: UInt32, actual: Int)
    /// No message has this type.
    case type(UInt8)
    /// The frame ends before or inside the named field.
    case truncated(field: String)
    /// The named field has an undefined value.
    case value(field: String, UInt8)
    /// The named string has a NUL in it or is not UTF-8.
    case text(field: String)
    /// The named string has a number of bytes outside its limit.
    case textLength(field: String, bytes: Int, limit: ClosedRange<Int>)
    /// The buffer to write to is too small for the frame.
    case noRoom(bytes: Int)
}

// Concatenated, not interpolated: in the daemon each interpolation takes some 200 bytes of code.
extension FrameError: CustomStringConvertible {
    /// One sentence without a full stop: `the length in the header is 40, but the packet has 32 bytes`.
    ///
    /// It repeats numbers from the frame but never its text, and fits ``TextLimit/message``.
    package var description: String {
        switch self {
        case .shortHeader(let size):
            "the packet has " + String(size) + " bytes, too few for a header of " + String(FrameFormat.headerSize)
        case .tooLong(let size):
            "the packet has " + String(size) + " bytes, more than the " + String(FrameFormat.maximumSize)
                + " a frame may have"
        case .version(let version):
            "protocol version " + String(version) + " is not supported; send version " + String(FrameFormat.version)
        case .reserved(let value):
            "the reserved bytes of the header are " + String(value) + "; send 0"
        case .length(let stated, let actual):
            "the length in the header is " + String(stated) + ", but the packet has " + String(actual) + " bytes"
        case .type(let type):
            "there is no message of type " + String(type) + " in version " + String(FrameFormat.version)
        case .truncated(let field):
            "the frame ends before the end of its field " + field
        case .value(let field, let value):
            "the field " + field + " cannot be " + String(value)
        case .text(let field):
            "the field " + field + " is not UTF-8 without NUL"
        case .textLength(let field, let bytes, let limit):
            "the field " + field + " has " + String(bytes) + " bytes; it takes " + String(limit.lowerBound) + " to "
                + String(limit.upperBound)
        case .noRoom(let bytes):
            "the frame does not fit a buffer of " + String(bytes) + " bytes; one of " + String(FrameFormat.maximumSize)
                + " takes any"
        }
    }
}
