extension ViewController {
    /// Gives the view up if it is loaded and off window; for an override of ``didReceiveMemoryWarning()`` under
    /// ``ReleasePolicy/keep``.
    ///
    /// The same as the usual `if viewIfLoaded?.window == nil { view = nil }`: no unload callback is sent, and a child's
    /// view is taken out of its container's. ``saveViewState(in:)`` is called before. Never loads the view, and leaves it alone
    /// while it is loading or an appearance transition is under way.
    public func releaseViewIfOffWindow() {
        guard let view = viewIfLoaded, view.window == nil, isAtRest else { return }
        keepViewState()
        dropView()
    }

    /// Rule 4.8.
    var canUnloadView: Bool {
        guard let view = viewIfLoaded else { return false }
        return isAtRest && view.superview == nil && view.window == nil && canLoadViewAgain
    }

    private var isAtRest: Bool {
        loading == .idle && !appearance.isUnderWay
    }

    /// Sends the unload pair around giving the view up, then does the same for the children in it (rules 4.7 and 5.12).
    func unloadView() {
        announce(.viewWillUnload)
        viewWillUnload()
        keepViewState()
        let inside = detachChildren()
        dropView()
        announce(.viewDidUnload)
        viewDidUnload()
        // A callback may have loaded the view again, and put children into it that are not to be touched then.
        for child in inside where child.parent === self && child.viewIfLoaded?.superview == nil {
            if child.isViewLoaded, child.isAtRest, child.canLoadViewAgain { child.unloadView() }
        }
    }

    private func keepViewState() {
        savedViewState = currentViewState
    }

    /// What only the view knows: asked of the controller or, without a view, what was saved of the last one.
    var currentViewState: Properties? {
        guard isViewLoaded else { return savedViewState }
        var state = Properties()
        saveViewState(in: &state)
        return state.isEmpty ? nil : state
    }

    /// Has a view that stays in service made smaller, and counts what that gave back (rule 4.19).
    func degradeIfInService() {
        guard appearance.phase == .appeared, loadedView != nil, loading == .idle else { return }
        announce(.degrade)
        isDegraded = true
        host.count(released: degrade())
    }

    /// Ends a degradation.
    func recoverIfDegraded() {
        guard isDegraded else { return }
        isDegraded = false
        announce(.recover)
        recover()
    }

    private func detachChildren() -> [ViewController] {
        guard let view = viewIfLoaded else { return [] }
        let inside = children.filter { $0.isViewInside(view) }
        for child in inside { child.viewIfLoaded?.unlink() }
        return inside
    }
}
