/// Something that a service is asked to do by name: by a view's event, by another controller, or from the command line
/// with `memwarnd send`.
public struct Command: Sendable, Hashable {
    /// What is to be done.
    public var name: String
    /// What the sender says besides; empty if nothing.
    public var argument: String

    /// A command.
    public init(_ name: String, argument: String = "") {
        self.name = name
        self.argument = argument
    }
}

/// What became of a command.
public enum CommandOutcome: Sendable, Hashable {
    /// It was done; with an answer for the sender, which may be empty.
    case done(String)
    /// It was tried and failed, for this reason.
    case failed(String)
    /// No responder in the chain has an action of that name.
    case unhandled
}
