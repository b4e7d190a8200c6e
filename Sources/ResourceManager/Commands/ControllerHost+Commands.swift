extension ControllerHost {
    /// Performs a command on the controllers in service, and returns the outcome.
    ///
    /// In each visible window, in the order in which they were made, the command goes up the responder chain from the
    /// view that is shown to the window; then to the actions that were registered with ``onCommand(_:_:)``, then to the
    /// ``delegate`` if it is a responder. Only the first responder that has an action of that name performs it (rule
    /// 5.37). While ``run()`` is running, commands of `memwarnd send` are performed with this method, one after the
    /// other, in the order of arrival.
    ///
    /// Synchronous, in the host's isolation: it takes as long as the action. May be called inside an action and inside
    /// a delivery.
    ///
    /// - Returns: The action's answer; ``CommandOutcome/failed(_:)`` with the description of the error that it threw;
    ///   ``CommandOutcome/unhandled`` if there is no such action.
    @discardableResult
    public func handle(_ command: Command) -> CommandOutcome {
        for window in windows.objects where window.isVisible {
            // The host and its delegate follow the windows; the delegate may also be one of the controllers before them.
            for responder in window.firstResponder.chain.prefix(while: { $0 !== self }) {
                if responder.canPerform(command.name) { return responder.perform(command) }
            }
        }
        return send(command)
    }

    /// Registers an action for commands of this name.
    ///
    /// If a name has several actions, the newest is called; when its registration ends, the one before it takes its
    /// place. The returned string is the answer: empty if there is nothing to report, and cut to 2048 bytes of UTF-8 on
    /// its way to another process. A thrown error is the reason for the failure. On the command line, a name has 1 to
    /// 64 bytes.
    ///
    /// Called in the host's isolation; warnings wait until it returns. The action may register and unregister actions.
    /// Keep the returned registration, or it ends at once. Capture the host weakly, since the host keeps the closure.
    public func onCommand(_ name: String, _ action: @escaping (Command) throws -> String) -> Registration {
        commandActions.add(CommandAction(name: name, perform: action))
    }
}

extension Window {
    /// Where a command without a receiver starts: at the view of the innermost controller that is shown.
    ///
    /// Starts at that controller if its view is not loaded, and at the window itself if it shows nothing. Loads
    /// nothing.
    public final var firstResponder: Responder {
        guard let top = shownLayers.last else { return self }
        return top.innermostShown.loadedView ?? top
    }
}

extension ViewController {
    /// The child that is shown, its shown child, and so on; if several are shown, the one that was added last.
    fileprivate var innermostShown: ViewController {
        if let child = childForAppearance, child.isChild(of: self) { return child.innermostShown }
        guard let view = loadedView, let child = children.last(where: { $0.isViewInside(view) }) else { return self }
        return child.innermostShown
    }
}

/// An action of the host itself, for commands of one name.
struct CommandAction {
    let name: String
    let perform: (Command) throws -> String
}
