/// What became of a command at one host.
package struct CommandRecord: FrameBody, Equatable, Sendable {
    /// What became of a command at one host.
    package enum Outcome: UInt8, CaseIterable, Sendable {
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
    package var id: UInt64 = 0
    /// Its process, by the socket's credentials.
    package var pid: UInt32 = 0
    /// What became of the command there.
    package var outcome: Outcome = .done
    /// The host's name, within ``TextLimit/name``.
    ///
    /// It is text from a client: escape it before it is printed.
    package var name = ""
    /// What the host answered, or why it failed, within ``TextLimit/text``; empty if it said nothing.
    ///
    /// It is text from a client: escape it before it is printed.
    package var text = ""

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&id, "id")
        try fields.integer(&pid, "pid")
        try fields.choice(&outcome, "outcome")
        try fields.text(&name, "name", within: TextLimit.name)
        try fields.text(&text, "text", within: TextLimit.text)
    }
}
