extension ControllerHost {
    /// Has what is in service do what a command says, and tells what became of it.
    ///
    /// In each visible window, in the order in which they were made, the command goes up the responder chain from the
    /// view of what is shown, as far as the window; then to the actions that ``onCommand(_:_:)`` has registered, then to
    /// the ``delegate`` if it is a responder. The first that has an action of that name performs it, and no other (rule
    /// 5.37). While ``run()`` is running, commands of `memwarnd send` come here, one after the other, in the order in
    /// which they came.
    ///
    /// Synchronous, in the host's isolation: it takes as long as the action. May be called inside an action and inside
    /// a delivery.
    ///
    /// - Returns: What the action answered; ``CommandOutcome/failed(_:)`` with the description of the error that it
    ///   threw; ``CommandOutcome/unhandled`` if there is none.
    @discardableResult
    public func handle(_ command: Command) -> CommandOutcome {
        for window in windows.objects where window.isVisible {
            for responder in window.firstResponder.chain where responder !== self && responder !== delegate {
                if responder.canPerform(command.name) { return responder.perform(command) }
            }
        }
        return send(command)
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
        commandActions.add(CommandAction(name: name, perform: action))
    }
}

extension Window {
    /// Where a command without a receiver starts: the view of the innermost controller that is shown.
    ///
    /// That controller if its view is not loaded, the window itself if it shows nothing. Loads nothing.
    public final var firstResponder: Responder {
        guard let top = shownLayers.last else { return self }
        return top.innermostShown.loadedView ?? top
    }
}

extension ViewController {
    /// The child that is shown, its child, and so on; of several the one that was added last.
    fileprivate var innermostShown: ViewController {
        if let child = childForAppearance { return child.innermostShown }
        guard let view = loadedView, let child = children.last(where: { $0.isViewInside(view) }) else { return self }
        return child.innermostShown
    }
}

/// What a host itself does at commands of one name.
struct CommandAction {
    let name: String
    let perform: (Command) throws -> String
}
