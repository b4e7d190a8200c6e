/// A host's answer to a command.
package struct CommandReply: FrameBody, Equatable, Sendable {
    /// The outcome of a command as the host states it.
    package enum Result: UInt8, CaseIterable, Sendable {
        /// The host performed it.
        case done = 0
        /// The host tried, and failed.
        case failed = 1
        /// The host knows no command with that name.
        case unhandled = 2
    }

    /// The outcome of the command.
    package var result: Result = .done
    /// The answer, or the reason for the failure, within ``TextLimit/text``; may be empty.
    package var text = ""

    /// Creates an answer to a command.
    package init(result: Result, text: String = "") {
        self.result = result
        self.text = text
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.choice(&result, "result")
        try fields.text(&text, "text", within: TextLimit.text)
    }
}
