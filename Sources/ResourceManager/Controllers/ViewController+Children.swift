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
        moves &+= 1
        // It leaves before it was told that it had joined.
        isJoiningParent = false
        host.operations.step()
        announce(.willMove, parent?.displayName ?? "nil")
        willMove(toParent: parent)
    }

    /// Calls ``didMove(toParent:)``.
    func announceDidMove(to parent: ViewController?) {
        moves &+= 1
        isJoiningParent = false
        host.operations.step()
        announce(.didMove, parent?.displayName ?? "nil")
        didMove(toParent: parent)
    }

    /// Ends a change of the list that a container keeps of its children: removes those that it does not list any more,
    /// puts the others into the order of the list, and tells those that were added.
    ///
    /// The list is asked for at each step: a callback may have added a controller again, told it, or moved it on.
    func endChange(removing removed: [ViewController], adding added: [ViewController], list: () -> [ViewController]) {
        for child in removed where child.isChild(of: self) && !list().holds(child) { child.leaveParent() }
        order(list())
        for child in added where child.isChild(of: self) && child.isJoiningParent { child.announceDidMove(to: self) }
    }

    /// Puts children into an order; children that are not listed come last.
    private func order(_ first: [ViewController]) {
        guard !children.elementsEqual(first, by: ===) else { return }
        let listed = Set(first.map(ObjectIdentifier.init))
        children = first + children.filter { !listed.contains(ObjectIdentifier($0)) }
    }

    /// Whether the view is loaded and directly in another one.
    func isPlaced(in place: View) -> Bool { loadedView?.isSubview(of: place) ?? false }

    /// Whether the view is loaded and lies in another one.
    func isViewInside(_ view: View) -> Bool {
        viewIfLoaded?.isDescendant(of: view) ?? false
    }
}
