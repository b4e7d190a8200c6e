extension ViewController {
    /// The controller that this one presents; kept alive.
    public final var presentedViewController: ViewController? { presented }

    /// The controller that presents this one, or the container that this one is in.
    public final var presentingViewController: ViewController? { presenter ?? parent?.presentingViewController }

    /// Presents another controller above this one for a while: maintenance, a migration, a backup.
    ///
    /// A ``PresentationStyle/fullScreen`` presentation takes the whole tree of this controller off window after the
    /// other has appeared (rule 5.23). An ``PresentationStyle/overlay`` leaves the tree in service and sends it no
    /// callbacks (rule 5.25).
    ///
    /// Refused without loading anything: ``ResourceFault/alreadyPresenting``; ``ResourceFault/presenterNotInWindow`` if
    /// this controller has not appeared in a visible window; ``ResourceFault/hierarchyInconsistency`` if the other is a
    /// child, a root, or presented already, or presents, or if its presentation controller was made for another
    /// presentation.
    ///
    /// - Parameters:
    ///   - controller: The controller to present.
    ///   - style: How it covers this one.
    ///   - completion: Called last, after all callbacks; not called if the call is refused.
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
        guard presentation.begin(controller, by: self) else {
            return host.report(.hierarchyInconsistency, by: controller)
        }
        begin(presentation, of: controller)
        completion?()
    }

    /// Ends the presentation that this controller began, and all presentations on top of it.
    ///
    /// A controller that presents nothing forwards the call to its presenter (rule 5.26). The presented controllers in
    /// service disappear, the topmost first. Before that, a covered tree that was unloaded is loaded again; then it
    /// returns to service (rules 5.24, 5.28, 5.29). If there is nothing to dismiss, ``ResourceFault/nothingToDismiss``
    /// is reported.
    ///
    /// - Parameter completion: Called last, after all callbacks; not called if the call is refused.
    public func dismiss(completion: (() -> Void)? = nil) {
        guard presented != nil else {
            guard let presenter = presentingViewController else { return host.report(.nothingToDismiss, by: self) }
            return presenter.dismiss(completion: completion)
        }
        guard host.beginOperation(by: self) else { return }
        // Controllers that have no other owner end here, after the completion (rule 6.3).
        let presentees = endPresentation()
        completion?()
        withExtendedLifetime(presentees) {}
        host.endOperation()
    }

    /// Dismisses all presentations of this controller and its children at every level, including those that begin
    /// meanwhile.
    func endPresentations() {
        while let presenter = firstPresenter { presenter.endPresentation() }
    }

    /// Whether this controller, or a child at any level, presents another one.
    var isPresenting: Bool { firstPresenter != nil }

    private var firstPresenter: ViewController? {
        if presented != nil { return self }
        for child in children { if let presenter = child.firstPresenter { return presenter } }
        return nil
    }

    /// Cuts the links of a presentation; sends no callbacks.
    func endBeingPresented() {
        presentation?.end()
        presentation?.window?.presentations.removeAll { $0 === presentation }
        presenter?.presented = nil
        presenter = nil
        // Its deinit may use the controller.
        withExtendedLifetime(Swift.exchange(&presentation, with: nil)) {}
    }

    /// Ends the presentation in which this controller is presented, and all on top of it, without callbacks.
    func endPresentationSilently() {
        for layer in [self] + presenteesOfTree {
            let covered = layer.presentation?.covered
            layer.endBeingPresented()
            // Nothing brings the covered tree back: it is free, and may get another place.
            covered?.forgetReturnPlace()
            layer.loadedView?.unlink()
            layer.abandonAppearance()
        }
    }

    /// The window that this controller serves in, visible or not: its root's, its presentation's, or that of its view.
    var servingWindow: Window? {
        let outermost = outermost
        return outermost.rootedWindow ?? outermost.presentation?.window ?? outermost.loadedView?.top as? Window
    }

    /// All controllers that this controller and its children at every level present, lowest first.
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
