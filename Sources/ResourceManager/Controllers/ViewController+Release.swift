extension ViewController {
    /// Gives the view up if it is loaded and off window; for an override of ``didReceiveMemoryWarning()`` under
    /// ``ReleasePolicy/keep``.
    ///
    /// The same as the usual `if viewIfLoaded?.window == nil { view = nil }`: no unload callback is sent, and a child's
    /// view is taken out of its container's. ``saveViewState(in:)`` is called before. Never loads the view, and leaves it alone
    /// while it is loading or an appearance transition is under way, and if `saveViewState(in:)` brings it into service.
    public func releaseViewIfOffWindow() {
        guard let view = viewIfLoaded, view.window == nil, isAtRest, host.beginOperation(by: self) else { return }
        _ = giveUpView(while: { $0.isAtRest && $0.loadedView?.window == nil }, after: {})
        host.endOperation()
    }

    /// Sends the unload pair around giving the view up, then does the same for the children in it (rules 4.7 and 5.12).
    func unloadView() {
        let inside = giveUpView(while: \.canUnloadView) {
            announce(.viewWillUnload)
            viewWillUnload()
        }
        guard let inside else { return }
        announce(.viewDidUnload)
        viewDidUnload()
        unload(inside)
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
}
