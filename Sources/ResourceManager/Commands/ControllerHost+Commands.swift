extension ControllerHost {
    /// Does what a command says, and tells what became of it.
    ///
    /// The newest action that ``onCommand(_:_:)`` has registered for the command's name is called, and no other. While
    /// ``run()`` is running, commands of `memwarnd send` come here, one after the other, in the order in which they came.
    ///
    /// Synchronous, in the host's isolation: it takes as long as the action. May be called inside an action and inside
    /// a delivery.
    ///
    /// - Returns: What the action answered; ``CommandOutcome/failed(_:)`` with the description of the error that it
    ///   threw; ``CommandOutcome/unhandled`` if there is none.
    @discardableResult
    public func perform(_ command: Command) -> CommandOutcome {
        performOwnAction(command)
    }

    /// Registers an action for commands of this name.
    ///
    /// Of several actions for one name the newest is called; the one before it takes its place when its registration
    /// ends. What it returns is the answer: empty if there is nothing to say, and on its way to another process cut to
    /// 2048 bytes of UTF-8. What it throws is the reason why it failed. From the command line a name can have 1 to 64
    /// bytes.
    ///
    /// Called in the host's isolation, where warnings wait until it returns. Registering and unregistering is allowed
    /// inside. Keep what is returned, or the registration ends at once; and capture the host weakly, which keeps the
    /// closure.
    public func onCommand(_ name: String, _ action: @escaping (Command) throws -> String) -> Registration {
        commandActions.add(name, action)
    }

    /// What the host itself does at a command.
    func performOwnAction(_ command: Command) -> CommandOutcome {
        guard let action = commandActions.newest(for: command.name) else { return .unhandled }
        do {
            return .done(try action(command))
        } catch {
            return .failed("\(error)")
        }
    }
}

/// What is to be done at commands, by their names.
final class CommandActions {
    typealias Action = (Command) throws -> String

    /// The newest last.
    private var actions: [(id: Int, name: String, call: Action)] = []
    private var nextID = 0

    func add(_ name: String, _ action: @escaping Action) -> Registration {
        let id = nextID
        nextID += 1
        actions.append((id, name, action))
        return Registration { [weak self] in
            self?.actions.removeAll { $0.id == id }
        }
    }

    func newest(for name: String) -> Action? {
        actions.last { $0.name == name }?.call
    }
}
