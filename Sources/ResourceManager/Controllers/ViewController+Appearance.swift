extension ViewController {
    /// Starts taking this controller into service, or out of it, by hand: for containers that tell their children
    /// themselves, and owners that are no controllers.
    ///
    /// Into service, the view is loaded first. Then the will-callback is sent, here and to the children whose views lie
    /// in this one's. Begins in the direction under way are counted, and the did-callback comes with the last
    /// ``endAppearanceTransition()``. A begin towards where the controller already is does nothing and needs no end.
    /// One in the opposite direction turns the transition round: one end is due again, and the abandoned did-callback
    /// never comes.
    public func beginAppearanceTransition(_ isAppearing: Bool) {
        begin(isAppearing)
    }

    /// Ends what ``beginAppearanceTransition(_:)`` started; the last end sends the did-callback.
    ///
    /// Without a begin it is ``ResourceFault/unbalancedAppearanceTransition``, and does nothing.
    public func endAppearanceTransition() {
        switch appearance.end() {
        case .unbalanced: host.report(.unbalancedAppearanceTransition, by: self)
        case .pending: break
        case .finished: sendDidCallback()
        }
    }

    /// Loads the view, and with it what a container shows (rule 2.15), for the step that comes next.
    ///
    /// The child's view is put into the container's, where its appearance is looked for when it is passed on (rule
    /// 5.10); off window no controller is told of that.
    func prepareToAppear() {
        loadViewIfNeeded()
        guard let child = childForAppearance, child.parent === self, loadedView != nil else { return }
        child.prepareToAppear()
        // A callback may have taken it elsewhere.
        guard childForAppearance === child, child.parent === self else { return }
        guard let view = loadedView, let childView = child.loadedView, !childView.isDescendant(of: view) else { return }
        view.link(childView)
    }

    /// Begins a transition, and returns it if it has to be ended.
    @discardableResult
    func begin(_ isAppearing: Bool, isForwarded: Bool = false) -> AppearanceTransition? {
        if isAppearing, !appearance.isTowardsAppeared { prepareToAppear() }
        switch appearance.begin(isAppearing, isForwarded: isForwarded) {
        case .alreadyThere:
            return nil
        case .joined:
            return AppearanceTransition(controller: self, serial: appearance.serial)
        case .started:
            let transition = AppearanceTransition(controller: self, serial: appearance.serial)
            announce(isAppearing ? .viewWillAppear : .viewWillDisappear)
            if isAppearing { viewWillAppear() } else { viewWillDisappear() }
            forward(isAppearing, of: transition)
            return transition
        }
    }

    /// Begins what the move of the view to another superview, or with `nil` out of its own, means for this controller.
    ///
    /// A child goes with its parent; a controller without one follows its view on window and off it (rules 5.8 to
    /// 5.10).
    func beginMove(to place: View?) -> AppearanceTransition? {
        guard let parent else { return beginBareMove(to: place) }
        guard parent.shouldAutomaticallyForwardAppearanceMethods else { return nil }
        guard let place, let container = parent.viewIfLoaded, place.isDescendant(of: container) else {
            return begin(false)
        }
        switch parent.appearance.phase {
        case .appeared:
            return begin(true)
        case .appearing:
            begin(true, isForwarded: true)
            return nil
        case .disappearing, .disappeared:
            return nil
        }
    }

    private func beginBareMove(to place: View?) -> AppearanceTransition? {
        let isOnWindow = viewIfLoaded?.window != nil
        if place?.window != nil { return isOnWindow ? nil : begin(true) }
        // It was not told when the container around it left the window; now it is taken out itself.
        let isForgotten = place == nil && appearance.phase == .appeared
        return isOnWindow || isForgotten ? begin(false) : nil
    }

    /// Out of service without a callback, because the tree around the view is gone.
    func abandonAppearance() {
        guard appearance.phase != .disappeared else { return }
        appearance.abandon()
        guard let view = viewIfLoaded else { return }
        for child in children where child.isViewInside(view) { child.abandonAppearance() }
    }

    /// Passes a will-callback on to the children, unless a callback turns the transition round (rules 3.19 and 5.10).
    private func forward(_ isAppearing: Bool, of transition: AppearanceTransition) {
        guard shouldAutomaticallyForwardAppearanceMethods, let view = loadedView else { return }
        for child in children where child.parent === self && child.isViewInside(view) {
            guard transition.isUnderWay else { return }
            child.begin(isAppearing, isForwarded: true)
        }
    }

    private func sendDidCallback() {
        let serial = appearance.serial
        let hasAppeared = appearance.phase == .appeared
        announce(hasAppeared ? .viewDidAppear : .viewDidDisappear)
        if hasAppeared { viewDidAppear() } else { viewDidDisappear() }
        for child in children where child.parent === self && child.appearance.isForwarded {
            // A callback may have begun anew, which has turned the children round.
            guard appearance.serial == serial else { return }
            child.endAppearanceTransition()
        }
    }
}
