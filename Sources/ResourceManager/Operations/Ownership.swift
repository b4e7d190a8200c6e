/// The ownership of controllers and views, which must not form a ring or become too deep (rule 5.42).
enum Ownership {
    /// The greatest depth of nested controllers, and of nested views.
    static let depth = 256
}

extension ViewController {
    /// Whether the controller has no container, no presenter, no window and no popover that sends it appearances.
    var isFree: Bool { isBare && !isInPopover }

    /// Whether the controller has no container, no presenter and no window: the program or a popover has placed its view.
    var isBare: Bool { parent == nil && presenter == nil && rootedWindow == nil }

    /// Whether the controller may get an owner: it has none, and presents nothing (rule 5.42).
    ///
    /// An owner would show it under its own presentation.
    var canBeOwned: Bool { isFree && !isPresenting }

    /// Whether the controller is the content of a popover that is shown, in a window that may be hidden, or is being
    /// dismissed.
    private var isInPopover: Bool { popover?.holdsContent ?? false }

    /// The topmost parent, or this controller.
    var outermost: ViewController {
        var outermost = self
        while let parent = outermost.parent { outermost = parent }
        return outermost
    }

    /// The owner of the controller: its container or its presenter.
    private var owner: ViewController? { parent ?? presenter }

    /// Whether the controller may become a child of this one, or be presented by it: it has no owner, and this one and
    /// its owners neither are the controller nor lie in its view.
    func canOwn(_ controller: ViewController) -> Bool {
        controller.parent == nil && canTake(controller)
    }

    /// Whether the controller may become a child of this one, after leaving its present parent.
    func canTake(_ controller: ViewController) -> Bool {
        guard controller.parent != nil || controller.canBeOwned else { return false }
        var depth = 0
        var next: ViewController? = self
        while let owner = next {
            guard owner !== controller else { return false }
            if let view = controller.loadedView, owner.loadedView?.isDescendant(of: view) ?? false { return false }
            depth += 1
            next = owner.owner
        }
        return depth + controller.height <= Ownership.depth
    }

    /// Whether a view may become this controller's: it contains the view of none of the controller's owners and of no
    /// other container's child, and lies in no view of a controller that this one owns.
    func canHave(_ view: View) -> Bool {
        guard !(view is Window) else { return false }
        if let old = loadedView, let place = old.superview, !old.isDescendant(of: view) {
            guard place.canTake(view) else { return false }
        }
        guard !view.subviews.isEmpty || view.superview != nil else { return true }
        // A child's view lies only in its parent's (rule 5.7).
        let inside = view.topmostControllers()
        guard inside.allSatisfy({ $0 === self || $0.parent == nil || $0.isChild(of: self) }) else { return false }
        var next = owner
        while let owner = next {
            if owner.loadedView?.isDescendant(of: view) ?? false { return false }
            next = owner.owner
        }
        return !view.liesInAnything(of: self)
    }

    /// Whether this one owns the controller, directly or through others.
    func keeps(_ controller: ViewController) -> Bool {
        var next = controller.owner
        while let owner = next {
            if owner === self { return true }
            next = owner.owner
        }
        return false
    }

    /// The depth of the controllers from here down, which is never above the greatest.
    private var height: Int {
        var below = presented?.height ?? 0
        for child in children { below = max(below, child.height) }
        return below + 1
    }
}

extension View {
    /// Whether a view may be put into this one: it does not contain this one, and the tree does not become too deep.
    func canTake(_ view: View) -> Bool {
        guard !(view is Window) else { return false }
        var depth = 0
        var next: View? = self
        while let current = next {
            guard current !== view else { return false }
            // The window has no controller: 256 nested controllers with a view each are legal in it.
            if !(current is Window) { depth += 1 }
            next = current.superview
        }
        return depth + view.height <= Ownership.depth
    }

    /// Whether the controllers whose views lie here may stand above this place: a parent is not in its child's view,
    /// and a child is only in its parent's.
    func canTake(viewsOf controllers: [ViewController]) -> Bool {
        guard let owner = nearestController else {
            // A tree without an owner is checked when it is put into a view itself.
            return !(top is Window) || controllers.allSatisfy { $0.parent == nil }
        }
        return controllers.allSatisfy { $0.isChild(of: owner) || $0.parent == nil && !$0.keeps(owner) }
    }

    /// Whether this view lies in the view of a controller that `controller` owns.
    fileprivate func liesInAnything(of controller: ViewController) -> Bool {
        var next = superview
        while let view = next {
            if let above = view.controller, controller.keeps(above) { return true }
            next = view.superview
        }
        return false
    }

    private var height: Int {
        var below = 0
        for subview in subviews { below = max(below, subview.height) }
        return below + 1
    }
}
