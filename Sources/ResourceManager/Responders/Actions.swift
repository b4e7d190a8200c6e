/// The actions of a class of responders, by name.
public struct Actions {
    private typealias Action = (Responder, Command) -> CommandOutcome
    private var actions: [String: Action] = [:]

    init() {}

    /// The names, in alphabetical order.
    public var names: [String] { actions.keys.sorted() }

    /// These actions and one more: a method of the class, which returns the answer.
    ///
    /// An action of the same name is replaced. A thrown error becomes ``CommandOutcome/failed(_:)``.
    public func adding<Target: Responder>(
        _ name: String,
        _ method: @escaping (Target) -> (Command) throws -> String
    ) -> Actions {
        var added = self
        added.actions[name] = { responder, command in
            guard let target = responder as? Target else { return .unhandled }
            return Self.outcome(of: method(target), command)
        }
        return added
    }

    /// These actions and one more: a method of the class that has no answer.
    public func adding<Target: Responder>(
        _ name: String,
        _ method: @escaping (Target) -> (Command) throws -> Void
    ) -> Actions {
        adding(name) { (target: Target) in
            { command in
                try method(target)(command)
                return ""
            }
        }
    }

    static func outcome(of action: (Command) throws -> String, _ command: Command) -> CommandOutcome {
        do {
            return .done(try action(command))
        } catch {
            return .failed("\(error)")
        }
    }

    subscript(name: String) -> ((Responder, Command) -> CommandOutcome)? { actions[name] }
}
