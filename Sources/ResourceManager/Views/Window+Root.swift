extension Window {
    /// The controller that the window shows; kept alive.
    ///
    /// Setting it in a window that is not visible loads nothing (rule 5.31). In a visible one the old root's disappearance
    /// is completed and its tree taken out before the new one's view is loaded, so that memory holds one tree and not two
    /// (rule 5.32); what the old root presented is dismissed with it. A controller that has a parent, is presented, or is
    /// another window's root is refused: ``ResourceFault/hierarchyInconsistency``; if it becomes that while the old root
    /// disappears, the window is left without a root.
    public final var rootViewController: ViewController? {
        get { root }
        set {
            guard host.beginOperation(by: self) else { return }
            replaceRoot(with: newValue)
            host.endOperation()
        }
    }

    /// Puts the window into service: the root's view is loaded if need be, and appears.
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

    /// The root and what is presented on top of it, lowest first, without those that a full-screen presentation covers.
    final var shownLayers: [ViewController] { layers.filter { $0.covers == 0 } }

    private func replaceRoot(with new: ViewController?) {
        guard new !== root || leavingRoot != nil else { return }
        if let new, new !== root, !new.isFree { return host.report(.hierarchyInconsistency, by: new) }
        rootChanges += 1
        let change = rootChanges
        let old = root
        leavingRoot = new === old ? nil : old
        takeLayersOut()
        // A callback may have asked for another one, which is there by now.
        guard rootChanges == change else { return }
        let presentees = old?.presenteesOfTree ?? []
        if new !== old { setRoot(new) }
        showLayers()
        withExtendedLifetime(presentees) {}
    }
}
