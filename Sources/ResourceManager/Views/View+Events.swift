/// The connections of one event of a view.
struct EventConnection {
    let event: String
    let action: String
    /// The receiver of the command; `nil` for the first in the responder chain with the action.
    let target: Target?

    struct Target {
        @Weak var responder: Responder?
    }
}

extension View {
    /// Connects an event of this view to a responder, which is not kept alive: the event sends it a command.
    ///
    /// With `nil` the command goes up the responder chain from this view. An archive makes these connections itself
    /// (rule 1.9).
    ///
    /// - Parameters:
    ///   - action: The command's name.
    ///   - event: The event; the view defines its name.
    ///   - target: The receiver of the command.
    public final func connect(_ action: String, to event: String, of target: Responder?) {
        let target = target.map { EventConnection.Target(responder: $0) }
        let connection = EventConnection(event: event, action: action, target: target)
        if connections == nil { connections = [connection] } else { connections?.append(connection) }
    }

    /// Sends the commands that are connected to an event, in the order in which they were connected.
    ///
    /// Call it from the view when the event happens. Commands to responders that no longer exist are
    /// ``CommandOutcome/unhandled``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - argument: The argument of the commands.
    /// - Returns: The outcome of each command.
    @discardableResult
    public final func sendActions(for event: String, argument: String = "") -> [CommandOutcome] {
        (connections ?? []).filter { $0.event == event }.map { connection in
            let command = Command(connection.action, argument: argument)
            guard let target = connection.target else { return send(command) }
            return target.responder?.perform(command) ?? .unhandled
        }
    }
}
