extension ViewController {
    /// Makes a controller a child of this one, which keeps it alive and forwards its appearances to it.
    ///
    /// Takes the child from its present parent, calls the child's `willMove(toParent:)`, and does not move the view:
    /// put that into this controller's view, then call the child's ``didMove(toParent:)``. Adding a child again does
    /// nothing. A controller cannot contain itself, directly or through others, or a window's root, or a presented
    /// controller, or a controller without a parent that presents: ``ResourceFault/hierarchyInconsistency``. The same
    /// fault is reported if a callback gives the child to another owner (rules 3.24, 5.42).
    public func addChild(_ child: ViewController) {
        guard !child.isChild(of: self) else { return }
        guard canTake(child) else { return host.report(.hierarchyInconsistency, by: child) }
        guard host.beginOperation(by: self) else { return }
        gain(child)
        if !child.isChild(of: self) { host.report(.hierarchyInconsistency, by: child) }
        host.endOperation()
    }

    /// Removes this controller from its parent, and calls ``didMove(toParent:)`` with `nil`; does nothing without a
    /// parent.
    ///
    /// First call ``willMove(toParent:)`` with `nil` and take the view out. The presentations of this controller are
    /// dismissed, since they cover a tree that stays behind. If only the parent kept the controller alive, it is
    /// destroyed when the caller releases it.
    public func removeFromParent() {
        guard parent != nil, host.beginOperation(by: self) else { return }
        leaveParent()
        host.endOperation()
    }

    /// Whether this is the controller's parent, and not in the deinit of a subclass, where the child has no parent any
    /// more.
    func hasLiving(_ child: ViewController) -> Bool { child.isChild(of: self) && child.parent != nil }

    /// Calls ``willMove(toParent:)``.
    func announceWillMove(to parent: ViewController?) {
        host.operations.step()
        announce(.willMove, parent?.displayName ?? "nil")
        willMove(toParent: parent)
    }

    /// Calls ``didMove(toParent:)``.
    func announceDidMove(to parent: ViewController?) {
        isJoiningParent = false
        host.operations.step()
        announce(.didMove, parent?.displayName ?? "nil")
        didMove(toParent: parent)
    }

    /// Tells children that a container has added that they are in their place, unless a callback has told them, or has
    /// moved them on.
    func announceJoined(_ added: [ViewController]) {
        for child in added where child.isChild(of: self) && child.isJoiningParent { child.announceDidMove(to: self) }
    }

    /// Whether the view is loaded and directly in another one.
    func isPlaced(in place: View) -> Bool { loadedView?.isSubview(of: place) ?? false }

    /// Whether the view is loaded and lies in another one.
    func isViewInside(_ view: View) -> Bool {
        viewIfLoaded?.isDescendant(of: view) ?? false
    }
}
