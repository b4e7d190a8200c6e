extension Window {
    /// The controller that the window shows; kept alive.
    ///
    /// Setting it in a window that is not visible loads nothing. In a visible one the old root's disappearance is
    /// completed and its tree taken out before the new one's view is loaded, so that memory holds one tree and not two.
    /// A controller that has a parent is refused: ``ResourceFault/hierarchyInconsistency``.
    public final var rootViewController: ViewController? {
        get { root }
        set { replaceRoot(with: newValue) }
    }

    /// Puts the window into service: the root's view is loaded if need be, and appears.
    public final func makeVisible() {
        guard !isVisible else { return }
        isVisible = true
        showRoot()
        // A callback may have hidden the window again.
        guard isVisible else { return }
        let transitions = bareControllers().compactMap { $0.begin(true) }
        if isVisible {
            for subview in subviews where subview !== root?.viewIfLoaded { subview.display(in: self) }
        }
        for transition in transitions { transition.end() }
    }

    /// Takes the window out of service: everything in it disappears; nothing is unloaded until memory is short.
    public final func hide() {
        guard isVisible else { return }
        takeRootOut()
        let transitions = bareControllers().compactMap { $0.begin(false) }
        isVisible = false
        for transition in transitions { transition.end() }
    }

    /// Controllers whose views were put into the window by hand.
    private func bareControllers() -> [ViewController] {
        subviews.flatMap { $0.topmostControllers() }.filter { $0 !== root }
    }

    private func replaceRoot(with new: ViewController?) {
        let old = root
        guard new !== old else { return }
        if let new, new.parent != nil {
            host.report(.hierarchyInconsistency, by: new)
            return
        }
        if isVisible {
            takeRootOut()
            // A callback of the old root may have set another one: the later wish counts.
            guard root === old else { return }
        }
        root = new
        if isVisible { showRoot() }
    }

    /// Brings the root in: load, will, attach, backing, did (rule 3.4); layout belongs between attaching and backing.
    private func showRoot() {
        guard let root, root.view != nil else { return }
        // Loading it may have replaced the root or hidden the window. So may the callback, which turns the transition
        // round.
        guard self.root === root, isVisible else { return }
        let transition = root.begin(true)
        guard transition?.isUnderWay ?? true else { return }
        if let view = root.viewIfLoaded, !isDescendant(of: view) {
            if view.superview !== self { link(view) }
            view.display(in: self)
        }
        transition?.end()
    }

    private func takeRootOut() {
        guard let root else { return }
        let transition = root.begin(false)
        guard transition?.isUnderWay ?? true else { return }
        if let view = root.viewIfLoaded, view.superview === self { view.unlink() }
        transition?.end()
    }
}
