/// What owns what, and what is refused because it would close a ring or go too deep (rule 5.42).
enum Ownership {
    /// How many controllers, and how many views, may lie in each other.
    static let depth = 256
}

extension ViewController {
    /// Whether nothing shows the controller or tells it of its appearances: no container, no presenter, no window, no
    /// popover.
    var isFree: Bool { isBare && !isInPopover }

    /// Whether no container, presenter or window holds the controller: its view is where the program or a popover has put
    /// it.
    var isBare: Bool { parent == nil && presenter == nil && rootedWindow == nil }

    /// Whether a popover shows the controller, in a window that may be hidden.
    private var isInPopover: Bool { popover?.window != nil }

    /// The parent that has none itself, or this controller.
    var outermost: ViewController {
        var outermost = self
        while let parent = outermost.parent { outermost = parent }
        return outermost
    }

    /// What all presentations on top of which this controller lies began from.
    var base: ViewController {
        var base = outermost
        while let presenter = base.presenter { base = presenter.outermost }
        return base
    }

    /// What keeps the controller: its container, or what presents it.
    private var owner: ViewController? { parent ?? presenter }

    /// Whether the controller may become a child of this one, or be presented by it: it is free, and nothing above this
    /// one is the controller or lies in its view.
    func canOwn(_ controller: ViewController) -> Bool {
        controller.parent == nil && canTake(controller)
    }

    /// Whether the controller may become a child of this one, out of the parent that it may have.
    func canTake(_ controller: ViewController) -> Bool {
        guard controller.presenter == nil, controller.rootedWindow == nil, !controller.isInPopover else { return false }
        var depth = 0
        var next: ViewController? = self
        while let owner = next {
            guard owner !== controller else { return false }
            if let view = controller.loadedView, owner.loadedView?.isDescendant(of: view) ?? false { return false }
            depth += 1
            next = owner.owner
        }
        return depth + controller.height(atMost: Ownership.depth) <= Ownership.depth
    }

    /// Whether a view may become this controller's: none of what keeps the controller lies in it, and it in nothing that
    /// the controller keeps.
    func canHave(_ view: View) -> Bool {
        guard !view.subviews.isEmpty || view.superview != nil else { return true }
        var next = owner
        while let owner = next {
            if owner.loadedView?.isDescendant(of: view) ?? false { return false }
            next = owner.owner
        }
        return !view.liesInAnything(of: self)
    }

    /// Whether this one keeps the controller, through others too.
    func keeps(_ controller: ViewController) -> Bool {
        var next = controller.owner
        while let owner = next {
            if owner === self { return true }
            next = owner.owner
        }
        return false
    }

    /// How many controllers lie in each other here, counted no further than one more than a limit.
    private func height(atMost limit: Int) -> Int {
        guard limit > 0, presented != nil || !children.isEmpty else { return 1 }
        var below = presented?.height(atMost: limit - 1) ?? 0
        for child in children { below = max(below, child.height(atMost: limit - 1)) }
        return below + 1
    }
}

extension View {
    /// Whether a view may be put into this one: neither lies in the other's way, and it does not become too deep.
    func canTake(_ view: View) -> Bool {
        guard !(view is Window) else { return false }
        var depth = 0
        var next: View? = self
        while let current = next {
            guard current !== view else { return false }
            depth += 1
            next = current.superview
        }
        return depth + view.height(atMost: Ownership.depth) <= Ownership.depth
    }

    /// Whether the controllers whose views lie here may stand above this place: no parent in its child's view, nor a
    /// child anywhere but in its parent's.
    func canTake(viewsOf controllers: [ViewController]) -> Bool {
        guard let owner = nearestController else {
            // A tree without an owner is checked when it is put somewhere itself.
            return !(top is Window) || controllers.allSatisfy { $0.parent == nil }
        }
        return controllers.allSatisfy { controller in
            if let parent = controller.parent { return parent === owner }
            return !controller.keeps(owner)
        }
    }

    /// Whether the view of something that a controller keeps lies above.
    fileprivate func liesInAnything(of controller: ViewController) -> Bool {
        var next = superview
        while let view = next {
            if let above = view.controller, controller.keeps(above) { return true }
            next = view.superview
        }
        return false
    }

    private func height(atMost limit: Int) -> Int {
        guard limit > 0, !subviews.isEmpty else { return 1 }
        var below = 0
        for subview in subviews { below = max(below, subview.height(atMost: limit - 1)) }
        return below + 1
    }
}
