/// A host's answer to a command.
package struct CommandReply: FrameBody, Equatable, Sendable {
    /// What the host says became of a command.
    package enum Result: UInt8, CaseIterable, Sendable {
        /// It was done.
        case done = 0
        /// It was tried and failed.
        case failed = 1
        /// The host knows no command of that name.
        case unhandled = 2
    }

    /// What became of the command.
    package var result: Result = .done
    /// The answer, or why it failed, within ``TextLimit/text``; may be empty.
    package var text = ""

    /// An answer to a command.
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
