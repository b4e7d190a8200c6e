/// The daemon's refusal of a frame, a request or a connection.
package struct Refusal: FrameBody, Equatable, Sendable {
    /// The kind of the refusal, for programs.
    package var code = Code.malformed
    /// The mistake and its remedy, for people, within ``TextLimit/message``.
    package var message = ""

    /// Creates a refusal.
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

    /// A kind of refusal.
    ///
    /// A later release may add codes within the same version of the protocol, so a receiver has to expect unknown
    /// codes, for which it has only the message.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The code on the wire.
        package let rawValue: UInt16

        /// The code with this number, known or not.
        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The frame could not be read; the connection is closed.
        package static let malformed = Self(rawValue: 1)
        /// The frame belongs to a version that the daemon does not support; the connection is closed.
        package static let unsupportedVersion = Self(rawValue: 2)
        /// The message is not permitted here, or its type is unknown; the connection is closed.
        package static let unexpectedMessage = Self(rawValue: 3)
        /// The peer's user may not do this; the connection stays.
        package static let notPermitted = Self(rawValue: 4)
        /// A quota is used up; the connection is closed.
        package static let tooManyPeers = Self(rawValue: 5)
        /// No host matches the target; the connection stays.
        package static let noSuchHost = Self(rawValue: 6)
        /// Too many requests of the peer's user are unanswered; the connection stays.
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
