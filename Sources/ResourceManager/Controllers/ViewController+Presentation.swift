extension ViewController {
    /// The controller that this one presents; kept alive.
    public final var presentedViewController: ViewController? { presented }

    /// The controller that presents this one, or the container that it is in.
    public final var presentingViewController: ViewController? { presenter ?? parent?.presentingViewController }

    /// Lays another controller over this one for a while: maintenance, a migration, a backup.
    ///
    /// ``PresentationStyle/fullScreen`` takes the whole tree that this controller is in off window once the other has
    /// appeared (rule 5.23); an ``PresentationStyle/overlay`` leaves it in service and tells it nothing (rule 5.25).
    ///
    /// Refused, and nothing loaded: ``ResourceFault/alreadyPresenting``; ``ResourceFault/presenterNotInWindow`` if this
    /// controller has not appeared in a visible window; ``ResourceFault/hierarchyInconsistency`` if the other is a child,
    /// a root, or presented already.
    ///
    /// - Parameters:
    ///   - controller: The controller to be presented.
    ///   - style: How it covers this one.
    ///   - completion: Called last, after all callbacks.
    public func present(
        _ controller: ViewController,
        style: PresentationStyle = .fullScreen,
        completion: (() -> Void)? = nil
    ) {
        if let fault = refusal(of: controller) { return host.report(fault.0, by: fault.1) }
        guard host.beginOperation(by: self) else { return }
        defer { host.endOperation() }
        let presentation = controller.makePresentationController(presenting: self, style: style)
        if let fault = refusal(of: controller) { return host.report(fault.0, by: fault.1) }
        begin(presentation, of: controller)
        completion?()
    }

    /// Ends the presentation that this controller began, and all that were begun on top of it.
    ///
    /// A controller that presents nothing passes it on to its presenter (rule 5.26). Those that are in service disappear,
    /// the topmost first; a covered tree is loaded again before that if it has been unloaded meanwhile, and comes back
    /// (rules 5.24, 5.28, 5.29). Without anything to dismiss it is ``ResourceFault/nothingToDismiss``.
    ///
    /// - Parameter completion: Called last, after all callbacks.
    public func dismiss(completion: (() -> Void)? = nil) {
        guard presented != nil else {
            guard let presenter = presentingViewController else { return host.report(.nothingToDismiss, by: self) }
            return presenter.dismiss(completion: completion)
        }
        guard host.beginOperation(by: self) else { return }
        // Those that nothing else keeps end here, after the completion (rule 6.3).
        let presentees = endPresentation()
        completion?()
        withExtendedLifetime(presentees) {}
        host.endOperation()
    }

    /// Dismisses all that this controller and its children at every level present, and what they present meanwhile.
    func endPresentations() {
        while let presenter = firstPresenter { presenter.endPresentation() }
    }

    private var firstPresenter: ViewController? {
        if presented != nil { return self }
        for child in children { if let presenter = child.firstPresenter { return presenter } }
        return nil
    }

    /// Cuts the links of a presentation; no controller is told.
    func endBeingPresented() {
        presentation?.end()
        presenter?.presented = nil
        presenter = nil
        presentation = nil
    }

    /// Ends the presentation, and all on top of it, with what it was begun in; no controller is told.
    func endPresentationSilently() {
        for layer in [self] + presenteesOfTree {
            layer.endBeingPresented()
            layer.loadedView?.unlink()
            layer.abandonAppearance()
        }
    }

    /// The window that this controller serves in, visible or not: its root's, its presenter's, or the one its view is in.
    var servingWindow: Window? {
        let outermost = outermost
        return outermost.rootedWindow ?? outermost.presenter?.servingWindow ?? outermost.loadedView?.top as? Window
    }

    /// All that this controller and its children at every level present, lowest first.
    var presenteesOfTree: [ViewController] {
        var all: [ViewController] = []
        if let presented { all += [presented] + presented.presenteesOfTree }
        for child in children { all += child.presenteesOfTree }
        return all
    }

    private func refusal(of controller: ViewController) -> (ResourceFault, ViewController)? {
        if presented != nil { return (.alreadyPresenting, self) }
        guard appearance.phase == .appeared, let window = servingWindow, loadedView?.window === window else {
            return (.presenterNotInWindow, self)
        }
        return canOwn(controller) ? nil : (.hierarchyInconsistency, controller)
    }
}
