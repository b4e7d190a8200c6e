extension ViewController {
    /// Makes a controller a child of this one, which keeps it alive and from now on tells it of appearances.
    ///
    /// It is taken from the parent it has, calls the child's `willMove(toParent:)`, and leaves the view alone: put that
    /// into this controller's view, then call the child's ``didMove(toParent:)``. Adding a child again does nothing. A
    /// controller cannot contain itself, through others neither, nor a window's root or one that is presented:
    /// ``ResourceFault/hierarchyInconsistency``.
    public func addChild(_ child: ViewController) {
        guard child.parent !== self else { return }
        guard canAdd(child) else { return host.report(.hierarchyInconsistency, by: child) }
        child.removeFromParent()
        child.announceWillMove(to: self)
        // The callback may have put it somewhere else.
        guard child.parent == nil, canAdd(child) else { return }
        children.append(child)
        child.parent = self
    }

    /// Ends being a child, and calls ``didMove(toParent:)`` with `nil`; does nothing without a parent.
    ///
    /// Before it, call ``willMove(toParent:)`` with `nil` and take the view out. What the controller presents is dismissed,
    /// since what that covers stays behind. If only the parent kept the
    /// controller, it is gone when its caller lets go of it.
    public func removeFromParent() {
        guard parent != nil else { return }
        endPresentations()
        // A callback may have done the same.
        guard let parent else { return }
        // The parent will no longer end what it has passed on.
        if appearance.isForwarded { endAppearanceTransition() }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        parent.didLose(self)
        announceDidMove(to: nil)
    }

    /// Calls ``willMove(toParent:)``.
    func announceWillMove(to parent: ViewController?) {
        announce(.willMove, parent?.displayName ?? "nil")
        willMove(toParent: parent)
    }

    /// Calls ``didMove(toParent:)``.
    func announceDidMove(to parent: ViewController?) {
        announce(.didMove, parent?.displayName ?? "nil")
        didMove(toParent: parent)
    }

    /// The parent that has none itself, or this controller.
    var outermost: ViewController { parent?.outermost ?? self }

    /// Whether the view is loaded and lies in another one.
    func isViewInside(_ view: View) -> Bool {
        viewIfLoaded?.isDescendant(of: view) ?? false
    }

    /// Whether a controller may become a child: it is no root, not presented, and does not contain this one.
    func canAdd(_ child: ViewController) -> Bool {
        !isContained(in: child) && child.presenter == nil && child.rootedWindow == nil
    }

    /// Whether nothing shows the controller or tells it of its appearances: no container, no presenter, no window.
    var isFree: Bool { parent == nil && presenter == nil && rootedWindow == nil }

    private func isContained(in controller: ViewController) -> Bool {
        self === controller || (parent?.isContained(in: controller) ?? false)
    }
}
