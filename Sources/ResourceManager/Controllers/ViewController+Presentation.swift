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
        guard presented == nil else { return host.report(.alreadyPresenting, by: self) }
        guard appearance.phase == .appeared, let window = servingWindow, loadedView?.window === window else {
            return host.report(.presenterNotInWindow, by: self)
        }
        guard controller.isFree, controller !== outermost else {
            return host.report(.hierarchyInconsistency, by: controller)
        }

        let presentation = controller.makePresentationController(presenting: self, style: style)
        presented = controller
        controller.presenter = self
        controller.presentation = presentation
        controller.prepareToAppear()
        // A callback may have taken it all back.
        guard presented === controller, window.isVisible else { return }

        presentation.presentationTransitionWillBegin()
        var leaving: AppearanceTransition?
        if style == .fullScreen {
            let covered = outermost
            presentation.covered = covered
            presentation.coveredPlace = covered.loadedView?.superview
            leaving = covered.begin(false)
        }
        // A callback may have hidden the window; then it appears with that.
        let arriving = window.isVisible ? controller.begin(true) : nil
        if let view = controller.loadedView, presented === controller {
            if view.superview !== window { window.link(view) }
            if window.isVisible { window.settle(view, in: window) }
        }
        arriving?.end(isServing: window.isVisible)
        if presented === controller { presentation.covered?.loadedView?.unlink() }
        leaving?.end()
        presentation.presentationTransitionDidEnd()
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
        guard let first = presented, let presentation = first.presentation else {
            guard let presenter = presentingViewController else { return host.report(.nothingToDismiss, by: self) }
            return presenter.dismiss(completion: completion)
        }
        let base = presentation.covered
        let place = presentation.coveredPlace
        // Hidden meanwhile, or gone, it has nothing to return to now.
        if place?.window != nil { base?.prepareToAppear() }
        // A callback may have dismissed it.
        guard presented === first else { return }

        presentation.dismissalTransitionWillBegin()
        let presentees = [first] + first.presenteesOfTree
        let leaving = presentees.reversed().compactMap { presentee in
            presentee.loadedView?.window == nil ? nil : presentee.begin(false)
        }
        let arriving = place?.window != nil ? base?.begin(true) : nil
        if let view = base?.loadedView, let place {
            if view.superview == nil { place.link(view) }
            if let window = place.window { place.settle(view, in: window) }
        }
        presented = nil
        for presentee in presentees { presentee.endBeingPresented() }
        arriving?.end(isServing: place?.window != nil)
        for presentee in presentees where presentee.rootedWindow == nil { presentee.loadedView?.unlink() }
        for transition in leaving { transition.end() }
        // What a callback has begun on top of them meanwhile.
        for presentee in presentees { presentee.endPresentations() }
        presentation.dismissalTransitionDidEnd()
        completion?()
        // Those that nothing else keeps end here, after the completion (rule 6.3).
        withExtendedLifetime(presentees) {}
    }

    /// Dismisses all that this controller and its children at every level present.
    func endPresentations() {
        if presented != nil { dismiss() }
        for child in children { child.endPresentations() }
    }

    /// Cuts the links of a presentation; no controller is told.
    func endBeingPresented() {
        presenter?.presented = nil
        presenter = nil
        presentation = nil
    }

    /// The window that this controller serves in, visible or not: its root's, its presenter's, or the one its view is in.
    var servingWindow: Window? {
        let outermost = outermost
        return outermost.rootedWindow ?? outermost.presenter?.servingWindow ?? outermost.loadedView?.top as? Window
    }
}
