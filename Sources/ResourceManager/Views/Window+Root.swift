extension Window {
    /// The controller that the window shows; kept alive.
    ///
    /// Setting it in a window that is not visible loads nothing (rule 5.31). In a visible window, the old root
    /// disappears completely and its tree is taken out before the new root's view is loaded, so that memory never holds
    /// both trees (rule 5.32). The presentations of the old root are dismissed. A controller that has a parent, is
    /// presented, presents, or is another window's root is refused: ``ResourceFault/hierarchyInconsistency``. If it gets
    /// another owner while the old root disappears, the window is left without a root.
    public final var rootViewController: ViewController? {
        get { root }
        set {
            guard host.beginOperation(by: self) else { return }
            replaceRoot(with: newValue)
            host.endOperation()
        }
    }

    /// Brings the window into service: the root's view is loaded if necessary, and appears.
    public final func makeVisible() {
        guard !isVisible || !isWantedVisible, host.beginOperation(by: self) else { return }
        isWantedVisible = true
        isVisible = true
        showLayers()
        showBare()
        host.endOperation()
    }

    /// Takes the window out of service: everything in it disappears; nothing is unloaded until memory is short.
    public final func hide() {
        guard isVisible, host.beginOperation(by: self) else { return }
        isWantedVisible = false
        takeLayersOut()
        takeBareOut()
        host.endOperation()
    }

    /// The root and the controllers presented on top of it, lowest first, without those that a full-screen presentation
    /// covers.
    final var shownLayers: [ViewController] { layers.filter { $0.covers == 0 } }

    private func replaceRoot(with new: ViewController?) {
        guard new !== root || leavingRoot != nil else { return }
        if let new, new !== root, !new.canBeOwned { return host.report(.hierarchyInconsistency, by: new) }
        rootChanges += 1
        let change = rootChanges
        let old = root
        leavingRoot = new === old ? nil : old
        if new === old { for presentee in old?.presenteesOfTree ?? [] { presentee.presentation?.withdrawEnd() } }
        old?.announceEnds { new !== old && rootChanges == change }
        if rootChanges == change { takeLayersOut() }
        // What callbacks have presented meanwhile ends too.
        old?.announceEnds { new !== old && rootChanges == change }
        // A callback may have set another root, which has been shown already.
        guard rootChanges == change else { return }
        let presentees = old?.presenteesOfTree ?? []
        if new !== old { setRoot(new) }
        showLayers()
        withExtendedLifetime(presentees) {}
    }
}
