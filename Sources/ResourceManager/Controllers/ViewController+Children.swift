extension ViewController {
    /// Makes a controller a child of this one, which keeps it alive and from now on tells it of appearances.
    ///
    /// It is taken from the parent it has, calls the child's `willMove(toParent:)`, and leaves the view alone: put that
    /// into this controller's view, then call the child's ``didMove(toParent:)``. Adding a child again does nothing. A
    /// controller cannot contain itself, through others neither, nor a window's root or one that is presented:
    /// ``ResourceFault/hierarchyInconsistency``, as it is if a callback gives the child to something else (rules 3.24, 5.42).
    public func addChild(_ child: ViewController) {
        guard child.parent !== self else { return }
        guard canTake(child) else { return host.report(.hierarchyInconsistency, by: child) }
        guard host.beginOperation(by: self) else { return }
        gain(child)
        if child.parent !== self { host.report(.hierarchyInconsistency, by: child) }
        host.endOperation()
    }

    /// Ends being a child, and calls ``didMove(toParent:)`` with `nil`; does nothing without a parent.
    ///
    /// Before it, call ``willMove(toParent:)`` with `nil` and take the view out. What the controller presents is dismissed,
    /// since what that covers stays behind. If only the parent kept the
    /// controller, it is gone when its caller lets go of it.
    public func removeFromParent() {
        guard parent != nil, host.beginOperation(by: self) else { return }
        leaveParent()
        host.endOperation()
    }

    /// Calls ``willMove(toParent:)``.
    func announceWillMove(to parent: ViewController?) {
        host.operations.step()
        announce(.willMove, parent?.displayName ?? "nil")
        willMove(toParent: parent)
    }

    /// Calls ``didMove(toParent:)``.
    func announceDidMove(to parent: ViewController?) {
        host.operations.step()
        announce(.didMove, parent?.displayName ?? "nil")
        didMove(toParent: parent)
    }

    /// Whether the view is loaded and lies in another one.
    func isViewInside(_ view: View) -> Bool {
        viewIfLoaded?.isDescendant(of: view) ?? false
    }
}
