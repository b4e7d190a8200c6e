extension View {
    /// Puts a view into this one, above the other subviews, after taking it out of its present place.
    ///
    /// If the view thereby comes on window or leaves it, its controller is notified at once, as are the controllers
    /// whose views lie in it, unless a parent notifies them (rules 5.8 to 5.10). A child controller's view may only go
    /// below the view of its parent, or into a tree that belongs to no controller yet. Refused without moving anything:
    /// any other place for a child's view, a view put into itself, a container's view put into its child's, and more
    /// than 256 nested views: ``ResourceFault/hierarchyInconsistency`` (rules 5.7, 5.42).
    public final func addSubview(_ view: View) {
        let controllers = view.topmostControllers()
        let host = controllers.first?.host ?? nearestHost ?? view.nearestHost
        guard canTake(view), canTake(viewsOf: controllers) else {
            guard let host else { return FaultHandling.log.report(.hierarchyInconsistency, by: view) }
            return host.report(.hierarchyInconsistency, by: view)
        }
        guard host?.beginOperation(by: view) ?? true else { return }
        view.move(to: self, with: controllers)
        host?.endOperation()
    }

    /// Takes the view out of its superview, which may have been its last owner; does nothing if it has none.
    ///
    /// If it was on window, the controllers concerned are notified at once, as for ``addSubview(_:)``.
    public final func removeFromSuperview() {
        guard superview != nil else { return }
        let controllers = topmostControllers()
        let host = controllers.first?.host ?? nearestHost
        guard host?.beginOperation(by: self) ?? true else { return }
        move(to: nil, with: controllers)
        host?.endOperation()
    }

    /// Does what ``removeFromSuperview()`` does, as part of an operation.
    final func takeOut() {
        if superview != nil { move(to: nil, with: topmostControllers()) }
    }

    /// The last view in the chain of superviews.
    final var top: View {
        var top = self
        while let superview = top.superview { top = superview }
        return top
    }

    /// Whether the view lies in `view`, or is the same view.
    final func isDescendant(of view: View) -> Bool {
        var next: View? = self
        while let current = next {
            if current === view || current.isSubview(of: view) { return true }
            next = current.superview
        }
        return false
    }

    /// The controller of this view or of the nearest view above that has one.
    final var nearestController: ViewController? {
        var next: View? = self
        while let current = next {
            if let controller = current.controller { return controller }
            next = current.superview
        }
        return nil
    }

    /// The host of the nearest controller, or of the window, visible or not.
    private var nearestHost: ControllerHost? { nearestController?.host ?? (top as? Window)?.host }

    /// The controllers in this tree whose views do not lie in another controller's view of the tree.
    final func topmostControllers() -> [ViewController] {
        if let controller { return [controller] }
        return subviews.flatMap { $0.topmostControllers() }
    }

    // MARK: Links alone, without callbacks

    final func link(_ view: View) {
        view.unlink()
        subviews.append(view)
        view.superview = self
        view.controller?.formerPlace = nil
        passBudgetOffWindow(to: view)
    }

    /// Gives a view that joined off window its budget; on window ``settle(_:)`` does.
    private func passBudgetOffWindow(to view: View) {
        guard window == nil else { return }
        if view.share == nil || self is Window { view.budget = budget.reduced(by: reserve) } else { needsLayout = true }
    }

    final func unlink(dividesShare: Bool = true) {
        guard let superview else { return }
        superview.subviews.remove(self)
        self.superview = nil
        if share != nil, dividesShare { superview.layOutLater() }
    }

    /// Has the view laid out, and its budget divided, at the end of the call (``ControllerHost/settle()``).
    final func layOutLater() {
        needsLayout = true
        window?.host.dividedAnew.append(self)
    }

    /// Replaces a view by another in the same place.
    final func replace(_ old: View, by new: View) {
        new.unlink()
        guard let index = subviews.firstIndex(where: { $0 === old }) else { return }
        subviews[index] = new
        new.superview = self
        new.controller?.formerPlace = nil
        old.superview = nil
        passBudgetOffWindow(to: new)
        if old.share != new.share { layOutLater() }
    }
}
