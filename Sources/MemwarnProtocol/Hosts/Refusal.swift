/// The daemon's no: to a frame, to a request or to a connection.
package struct Refusal: FrameBody, Equatable, Sendable {
    /// What kind of no it is, for programs.
    package var code = Code.malformed
    /// What was wrong and what to do, for people, within ``TextLimit/message``.
    package var message = ""

    /// A refusal.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        var number = code.rawValue
        try fields.integer(&number, "code")
        code = Code(rawValue: number)
        try fields.text(&message, "message", within: TextLimit.message)
    }

    /// What kind of refusal it is.
    ///
    /// Codes can be added within a version, so a receiver has to expect one that it does not know, and then has
    /// only the message.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The code on the wire.
        package let rawValue: UInt16

        /// The code with this number, known or not.
        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The frame could not be read; the connection is closed.
        package static let malformed = Self(rawValue: 1)
        /// The frame is of a version that the daemon does not speak; the connection is closed.
        package static let unsupportedVersion = Self(rawValue: 2)
        /// The message has no place here, or its type is not known; the connection is closed.
        package static let unexpectedMessage = Self(rawValue: 3)
        /// The peer's user may not do this; the connection stays.
        package static let notPermitted = Self(rawValue: 4)
        /// A quota is used up; the connection is closed.
        package static let tooManyPeers = Self(rawValue: 5)
        /// No host fits the target; the connection stays.
        package static let noSuchHost = Self(rawValue: 6)
        /// Too many requests of the peer's user are not answered yet; the connection stays.
        package static let tooManyRequests = Self(rawValue: 7)
    }
}

extension Refusal {
    /// The answer to a packet that is not a frame, to be sent before the connection is closed.
    package init(_ error: FrameError) {
        let code: Code =
            switch error {
            case .version: .unsupportedVersion
            case .type: .unexpectedMessage
            default: .malformed
            }
        self.init(code: code, message: error.description)
    }
}
