extension ViewController {
    /// Releases the view if it is loaded and off window; for an override of ``didReceiveMemoryWarning()`` under
    /// ``ReleasePolicy/keep``.
    ///
    /// It does the same as UIKit's usual `if viewIfLoaded?.window == nil { view = nil }`: no unload callback is sent,
    /// and a child's view is taken out of its container's. ``saveViewState(in:)`` is called first. It never loads the
    /// view. It does nothing while the view is loading or an appearance transition is under way, or if
    /// `saveViewState(in:)` brings the view into service.
    public func releaseViewIfOffWindow() {
        guard let view = viewIfLoaded, view.window == nil, isAtRest, host.beginOperation(by: self) else { return }
        _ = giveUpView(while: { $0.isAtRest && $0.loadedView?.window == nil }, after: {})
        host.endOperation()
    }

    /// Releases the view between the two unload callbacks, then does the same for the children in it (rules 4.7 and
    /// 5.12).
    func unloadView() {
        let inside = giveUpView(while: \.canUnloadView) {
            announce(.viewWillUnload)
            viewWillUnload()
        }
        guard let inside else { return }
        // The deinit of the view may have had it loaded again.
        if loadedView == nil {
            // A view that the callback loads stays: to release that too could go on for ever.
            isGivingUpView = true
            announce(.viewDidUnload)
            viewDidUnload()
            isGivingUpView = false
        }
        for child in inside { child.unloadView() }
    }

    /// The state to save: from the controller if its view is loaded, otherwise the state saved from the last view.
    var currentViewState: Properties? {
        guard isViewLoaded else { return savedViewState }
        var state = Properties()
        saveViewState(in: &state)
        return state.isEmpty ? nil : state
    }

    /// Makes a view that stays in service smaller, and counts the bytes that this released (rule 4.19).
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
