/// A host's answer to a command.
public struct CommandReply: Equatable, Sendable {
    /// What the host says became of a command.
    public enum Result: UInt8, CaseIterable, Sendable {
        /// It was done.
        case done = 0
        /// It was tried and failed.
        case failed = 1
        /// The host knows no command of that name.
        case unhandled = 2
    }

    /// What became of the command.
    public var result: Result
    /// The answer, or why it failed, within ``TextLimit/text``; may be empty.
    public var text: String

    /// An answer to a command.
    public init(result: Result, text: String = "") {
        self.result = result
        self.text = text
    }
}

extension CommandReply {
    init(from reader: inout FrameReader) throws(FrameError) {
        result = try reader.choice("result")
        text = try reader.text("text", within: TextLimit.text)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(result)
        try writer.put(text, "text", within: TextLimit.text)
    }
}
