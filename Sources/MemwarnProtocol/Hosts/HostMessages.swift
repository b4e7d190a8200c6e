/// The kinds of message that a host takes besides those that every host has to.
package struct HostMessages: OptionSet, Hashable, Sendable {
    /// The flags as they are on the wire.
    package let rawValue: UInt8

    /// Kinds of message from the flags on the wire.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The host performs commands and answers them: ``CommandRequest``.
    package static let commands = Self(rawValue: 1 << 0)

    static let known: Self = [.commands]
}
