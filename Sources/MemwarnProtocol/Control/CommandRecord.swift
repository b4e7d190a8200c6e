/// The outcome of a command at one host.
package struct CommandRecord: FrameBody, Equatable, Sendable {
    /// The outcome of a command at one host.
    package enum Outcome: UInt8, CaseIterable, Sendable {
        /// The host performed it.
        case done = 0
        /// The host tried, and failed.
        case failed = 1
        /// The host knows no command with that name.
        case unhandled = 2
        /// The deadline passed without an answer; the host may still perform it.
        case silent = 3
        /// The host's connection ended before it answered.
        case gone = 4
        /// It could not be sent: the host's socket was full.
        case undeliverable = 5
        /// The host did not announce that it accepts commands, so the daemon sent none.
        case notAccepting = 6
    }

    /// The host's number, as in its ``HostRecord``.
    package var id: UInt64 = 0
    /// Its process ID, from the socket's credentials.
    package var pid: UInt32 = 0
    /// The outcome of the command there.
    package var outcome: Outcome = .done
    /// The host's name, within ``TextLimit/name``.
    ///
    /// The text comes from a client: escape it before printing.
    package var name = ""
    /// The host's answer, or the reason for its failure, within ``TextLimit/text``; may be empty.
    ///
    /// The text comes from a client: escape it before printing.
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
