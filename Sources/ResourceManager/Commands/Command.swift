/// A request that names an action: sent by a view's event, by another controller, or from the command line with
/// `memwarnd send`.
public struct Command: Sendable, Hashable {
    /// The name of the action.
    public var name: String
    /// An argument from the sender; empty if there is none.
    public var argument: String

    /// A command.
    public init(_ name: String, argument: String = "") {
        self.name = name
        self.argument = argument
    }
}

/// The outcome of a command.
public enum CommandOutcome: Sendable, Hashable {
    /// The action succeeded; with an answer for the sender, which may be empty.
    case done(String)
    /// The action failed, for this reason.
    case failed(String)
    /// No responder in the chain has an action of that name.
    case unhandled
}
