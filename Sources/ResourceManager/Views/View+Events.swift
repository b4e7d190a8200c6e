/// What one event of a view is connected to.
struct EventConnection {
    let event: String
    let action: String
    /// The object that the command goes to; `nil` for the first in the responder chain with the action.
    let target: Target?

    struct Target {
        weak var responder: Responder?
    }
}

extension View {
    /// Has an event of this view sent as a command to a responder, which is not kept alive.
    ///
    /// With `nil` the command goes up the responder chain from this view. An archive makes these connections for you
    /// (rule 1.9).
    ///
    /// - Parameters:
    ///   - action: The command's name.
    ///   - event: The event, whose names are the view's own affair.
    ///   - target: The object that the command goes to.
    public final func connect(_ action: String, to event: String, of target: Responder?) {
        let target = target.map { EventConnection.Target(responder: $0) }
        connections = (connections ?? []) + [EventConnection(event: event, action: action, target: target)]
    }

    /// Sends the commands that an event is connected to, in the order in which they were connected.
    ///
    /// Call it from the view when the event happens. Commands to responders that are gone are
    /// ``CommandOutcome/unhandled``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - argument: What the commands carry.
    /// - Returns: What became of each command.
    @discardableResult
    public final func sendActions(for event: String, argument: String = "") -> [CommandOutcome] {
        (connections ?? []).filter { $0.event == event }.map { connection in
            let command = Command(connection.action, argument: argument)
            guard let target = connection.target else { return send(command) }
            return target.responder?.perform(command) ?? .unhandled
        }
    }
}
