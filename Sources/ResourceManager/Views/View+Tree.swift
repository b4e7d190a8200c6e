extension View {
    /// Puts a view into this one, above the others, taking it out of where it was.
    ///
    /// If the view thereby comes on window or leaves it, the controllers concerned are told at once: the one whose view
    /// it is, and those whose views lie in it, unless a parent tells them (rules 5.8 to 5.10). A view that a child
    /// controller owns may only go below the view of its parent, or into a tree that belongs to no controller yet;
    /// anything else, a view put into itself, a container's view put into its child's, and more than 256 views in each
    /// other are ``ResourceFault/hierarchyInconsistency``, and nothing is moved (rules 5.7, 5.42).
    public final func addSubview(_ view: View) {
        let controllers = view.topmostControllers()
        let host = controllers.first?.host ?? nearestController?.host ?? (top as? Window)?.host
        guard canTake(view), canTake(viewsOf: controllers) else {
            return (host?.faultHandling ?? .log).report(.hierarchyInconsistency, by: view)
        }
        guard host?.beginOperation(by: view) ?? true else { return }
        view.move(to: self, with: controllers)
        host?.endOperation()
    }

    /// Takes the view out of its superview, which may have been the last to keep it; does nothing if it is in none.
    ///
    /// If it was on window, the controllers concerned are told at once, as with ``addSubview(_:)``.
    public final func removeFromSuperview() {
        guard superview != nil else { return }
        let controllers = topmostControllers()
        let host = controllers.first?.host ?? nearestController?.host ?? (top as? Window)?.host
        guard host?.beginOperation(by: self) ?? true else { return }
        move(to: nil, with: controllers)
        host?.endOperation()
    }

    /// Does what ``removeFromSuperview()`` does, as part of an operation.
    final func takeOut() {
        if superview != nil { move(to: nil, with: topmostControllers()) }
    }

    /// The end of the chain of superviews.
    final var top: View {
        var top = self
        while let superview = top.superview { top = superview }
        return top
    }

    /// Whether the view lies in `view`, or is it.
    final func isDescendant(of view: View) -> Bool {
        var next: View? = self
        while let current = next {
            if current === view { return true }
            next = current.superview
        }
        return false
    }

    /// The controller of this view or of the nearest one above that has one.
    final var nearestController: ViewController? {
        var next: View? = self
        while let current = next {
            if let controller = current.controller { return controller }
            next = current.superview
        }
        return nil
    }

    /// The controllers in this tree that no other controller's view in it lies above.
    final func topmostControllers() -> [ViewController] {
        if let controller { return [controller] }
        return subviews.flatMap { $0.topmostControllers() }
    }

    // MARK: Links alone, without callbacks

    final func link(_ view: View) {
        view.unlink()
        subviews.append(view)
        view.superview = self
    }

    final func unlink() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
    }

    /// Puts a view into the place of another, which is taken out.
    final func replace(_ old: View, by new: View) {
        new.unlink()
        guard let index = subviews.firstIndex(where: { $0 === old }) else { return }
        subviews[index] = new
        new.superview = self
        old.superview = nil
    }
}
