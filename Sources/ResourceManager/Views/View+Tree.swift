extension View {
    /// Puts a view into this one, above the others, taking it out of where it was.
    ///
    /// If the view thereby comes on window or leaves it, the controllers concerned are told at once: the one whose view
    /// it is, and those whose views lie in it, unless a parent tells them (rules 5.8 to 5.10). A view that a child
    /// controller owns may only go below the view of its parent, or into a tree that belongs to no controller yet;
    /// anything else, and a view put into itself, is ``ResourceFault/hierarchyInconsistency``, and nothing is moved.
    public final func addSubview(_ view: View) {
        guard canHold(view) else {
            let handling = (nearestController?.host ?? view.nearestController?.host)?.faultHandling ?? .log
            handling.report(.hierarchyInconsistency, by: view)
            return
        }
        view.move(to: self)
    }

    /// Takes the view out of its superview, which may have been the last to keep it; does nothing if it is in none.
    ///
    /// If it was on window, the controllers concerned are told at once, as with ``addSubview(_:)``.
    public final func removeFromSuperview() {
        guard superview != nil else { return }
        move(to: nil)
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

    // MARK: Moving

    private func canHold(_ view: View) -> Bool {
        guard !(view is Window), !isDescendant(of: view) else { return false }
        let children = view.topmostControllers().filter { $0.parent != nil }
        if let owner = nearestController { return children.allSatisfy { $0.parent === owner } }
        // A tree without an owner is checked when it is put somewhere itself.
        return children.isEmpty || !(top is Window)
    }

    private func move(to place: View?) {
        let old = superview
        let wasServing = place?.window != nil
        let transitions = topmostControllers().compactMap { $0.beginMove(to: place) }
        // A will-callback may have put the view somewhere else: the later wish counts. Or turned the trees over: never
        // close a ring.
        if superview === old, !(place?.isDescendant(of: self) ?? false) { finishMove(from: old, to: place) }
        for transition in transitions { transition.end(isServing: !wasServing || place?.window != nil) }
    }

    private func finishMove(from old: View?, to place: View?) {
        if let place {
            place.link(self)
            if let window = place.window { place.settle(self, in: window) }
        } else {
            unlink()
        }
        // What it had is there for its siblings now.
        if share != nil, let old, old !== place {
            old.setNeedsLayout()
            old.layoutIfNeeded()
        }
    }
}
