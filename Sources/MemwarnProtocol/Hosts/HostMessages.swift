/// The kinds of message that a host accepts in addition to those that every host has to accept.
package struct HostMessages: OptionSet, Hashable, Sendable {
    /// The flags as they are on the wire.
    package let rawValue: UInt8

    /// Creates the set from the flags on the wire.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The host performs commands and answers them: ``CommandRequest``.
    package static let commands = Self(rawValue: 1 << 0)

    static let known: Self = [.commands]
}
