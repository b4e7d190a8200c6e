/// The daemon's no: to a frame, to a request or to a connection.
public struct Refusal: Equatable, Sendable {
    /// What kind of no it is, for programs.
    public var code: Code
    /// What was wrong and what to do, for people, within ``TextLimit/message``.
    public var message: String

    /// A refusal.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// What kind of refusal it is.
    ///
    /// Codes can be added within a version, so a receiver has to expect one that it does not know, and then has
    /// only the message.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code on the wire.
        public let rawValue: UInt16

        /// The code with this number, known or not.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The frame could not be read; the connection is closed.
        public static let malformed = Self(rawValue: 1)
        /// The frame is of a version that the daemon does not speak; the connection is closed.
        public static let unsupportedVersion = Self(rawValue: 2)
        /// The message has no place here, or its type is not known; the connection is closed.
        public static let unexpectedMessage = Self(rawValue: 3)
        /// The peer's user may not do this; the connection stays.
        public static let notPermitted = Self(rawValue: 4)
        /// A quota is used up; the connection is closed.
        public static let tooManyPeers = Self(rawValue: 5)
        /// No host fits the target; the connection stays.
        public static let noSuchHost = Self(rawValue: 6)
        /// Too many requests of the peer's user are not answered yet; the connection stays.
        public static let tooManyRequests = Self(rawValue: 7)
    }
}

extension Refusal {
    /// The answer to a packet that is not a frame, to be sent before the connection is closed.
    public init(_ error: FrameError) {
        let code: Code =
            switch error {
            case .version: .unsupportedVersion
            case .type: .unexpectedMessage
            default: .malformed
            }
        self.init(code: code, message: error.description)
    }
}

extension Refusal {
    init(from reader: inout FrameReader) throws(FrameError) {
        code = Code(rawValue: try reader.integer("code"))
        message = try reader.text("message", within: TextLimit.message)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(code.rawValue)
        try writer.put(message, "message", within: TextLimit.message)
    }
}
