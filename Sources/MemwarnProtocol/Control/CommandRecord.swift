/// What became of a command at one host.
public struct CommandRecord: Equatable, Sendable {
    /// What became of a command at one host.
    public enum Outcome: UInt8, CaseIterable, Sendable {
        /// The host did it.
        case done = 0
        /// The host tried, and failed.
        case failed = 1
        /// The host knows no command of that name.
        case unhandled = 2
        /// The deadline passed without an answer; the host may still do it.
        case silent = 3
        /// The host's connection ended before it answered.
        case gone = 4
        /// It could not be sent: the host's socket was full.
        case undeliverable = 5
        /// The host did not say that it takes commands, so it was sent none.
        case notAccepting = 6
    }

    /// The host's number, as in its ``HostRecord``.
    public var id: UInt64
    /// Its process, by the socket's credentials.
    public var pid: UInt32
    /// What became of the command there.
    public var outcome: Outcome
    /// The host's name, within ``TextLimit/name``.
    ///
    /// It is text from a client: escape it before it is printed.
    public var name: String
    /// What the host answered, or why it failed, within ``TextLimit/text``; empty if it said nothing.
    ///
    /// It is text from a client: escape it before it is printed.
    public var text: String

    /// A record of what became of a command at a host.
    public init(id: UInt64, pid: UInt32, outcome: Outcome, name: String, text: String = "") {
        self.id = id
        self.pid = pid
        self.outcome = outcome
        self.name = name
        self.text = text
    }
}

extension CommandRecord {
    init(from reader: inout FrameReader) throws(FrameError) {
        id = try reader.integer("id")
        pid = try reader.integer("pid")
        outcome = try reader.choice("outcome")
        name = try reader.text("name", within: TextLimit.name)
        text = try reader.text("text", within: TextLimit.text)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(id)
        try writer.put(pid)
        try writer.put(outcome)
        try writer.put(name, "name", within: TextLimit.name)
        try writer.put(text, "text", within: TextLimit.text)
    }
}
