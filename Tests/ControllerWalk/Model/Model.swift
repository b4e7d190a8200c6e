/// The state of controllers, views and windows.
///
/// `docs/RULES.md` alone determines how operations change it.
struct Model: Equatable {
    /// The place of a view in the view hierarchy.
    enum Place: Equatable {
        case nowhere, elsewhere
        case window(Int)
        case inside(Int)
    }

    struct Controller: Equatable {
        let kind: Kind
        var parent: Int?
        var children: [Int] = []
        /// The shown child, in a container that shows one child.
        var shown: Int?
        /// The children in service of a working set, the most recently used first.
        var inService: [Int] = []
        var presenter: Int?
        var presented: Int?
        /// The tree that this controller covers while it is presented (5.23).
        var covers: Int?
        var window: Int?
        /// Whether a popover shows this controller, in a window that may be hidden (5.39).
        var isInPopover = false
        var isLoaded = false
        /// Whether the program has assigned the view, which cannot be made again (4.8).
        var isViewAssigned = false
        var place = Place.nowhere
        /// The controllers whose views are subviews of this controller's view, in their order.
        var inside: [Int] = []
        var phase = Subject.Phase.disappeared
        var needsLayout = true
        /// Whether it is unknown if the controller needs a layout.
        var isLayoutOpen = false
        var budget = 0
        /// `nil` if it is unknown.
        var hasSavedState: Bool? = false
        /// Whether the rules determine nothing about this controller except that it exists.
        var isExempt = false

        var isAtRest: Bool { phase == .appeared || phase == .disappeared }
        /// 4.8, but for what is under way.
        var canUnload: Bool { isLoaded && !isViewAssigned && place == .nowhere }
        var showsOneChild: Bool { kind == .stack || kind == .tabs }
        var choosesChildren: Bool { showsOneChild || kind == .set }
    }

    struct Window: Equatable {
        var isVisible = false
        var root: Int?
        var budget = 0
        /// The controllers whose views are subviews of the window, in their order.
        var inside: [Int] = []
    }

    var controllers: [Int: Controller] = [:]
    var windows: [Window] = []
    /// The containers that have an operation in a drain.
    var busy: Set<Int> = []
    /// The controllers that these operations keep.
    ///
    /// They are not unloaded meanwhile (4.24).
    var draining: Set<Int> = []
    /// The children whose views the program released off window, and the controllers in whose views these were (5.14).
    var formerPlaces: [Int: Int] = [:]
    /// Whether the program has taken away the view of a controller that is in service according to its callbacks.
    var hasGap = false
    /// The controllers in order of creation.
    var order: [Int] = []

    subscript(id: Int) -> Controller {
        get { controllers[id] ?? Controller(kind: .plain) }
        set { controllers[id] = newValue }
    }

    // MARK: Relations

    func outermost(of id: Int) -> Int {
        var outermost = id
        while let parent = self[outermost].parent { outermost = parent }
        return outermost
    }

    /// Whether the controller is among those that the root of a window contains and presents.
    func isRooted(_ id: Int) -> Bool {
        var layer = outermost(of: id)
        while let presenter = self[layer].presenter { layer = outermost(of: presenter) }
        return self[layer].window != nil
    }

    /// Whether two controllers are the same, owner and owned, or siblings.
    func areRelated(_ a: Int, _ b: Int) -> Bool {
        let owners = [a, b].map { self[$0].parent ?? self[$0].presenter }
        return a == b || owners[0] == b || owners[1] == a || owners[0] != nil && owners[0] == owners[1]
    }

    func isFree(_ id: Int) -> Bool { self[id].parent == nil && isUnowned(id) }

    /// Whether the program has put the controller's view into a window: no owner has (5.8).
    func isBare(_ id: Int) -> Bool {
        if case .window = self[id].place { return isFree(id) }
        return false
    }

    /// Whether there are such controllers, presented ones that cover them, or roots of other windows.
    var hasBare: Bool { order.contains { isBare($0) || self[$0].presenter != nil && !isRooted($0) || isElsewhere($0) } }

    /// Whether a root's view lies in another window.
    private func isElsewhere(_ id: Int) -> Bool {
        guard case .window(let window) = self[id].place, let own = self[id].window else { return false }
        return own != window
    }

    /// Whether a presenter, a window or a popover may hold the controller (5.42).
    func canBeOwned(_ id: Int) -> Bool { isFree(id) && presentees(of: id).isEmpty }

    /// Whether no presenter, window or popover holds the controller.
    private func isUnowned(_ id: Int) -> Bool {
        self[id].presenter == nil && self[id].window == nil && !self[id].isInPopover
    }

    /// A controller, its children at every level, and the controllers that they present.
    func tree(of id: Int) -> [Int] {
        [id] + self[id].children.flatMap(tree) + (self[id].presented.map(tree) ?? [])
    }

    /// The controllers that a controller and its children at every level present, the lowest first.
    func presentees(of id: Int) -> [Int] {
        (self[id].presented.map { [$0] + presentees(of: $0) } ?? []) + self[id].children.flatMap(presentees)
    }

    /// The root of a window and the controllers presented over it, the lowest first.
    func layers(of window: Int) -> [Int] { windows[window].root.map { [$0] + presentees(of: $0) } ?? [] }

    func isCovered(_ id: Int) -> Bool { controllers.values.contains { $0.presenter != nil && $0.covers == id } }

    func window(of id: Int) -> Int? {
        switch self[id].place {
        case .window(let window): windows[window].isVisible ? window : nil
        case .inside(let owner): owner == id ? nil : window(of: owner)
        case .nowhere, .elsewhere: nil
        }
    }

    /// Whether `keeper` keeps a controller, as a container or presenter of it or of one of its owners (5.42).
    func isKept(_ id: Int, by keeper: Int) -> Bool {
        var next = self[id].parent ?? self[id].presenter
        while let owner = next {
            if owner == keeper { return true }
            next = self[owner].parent ?? self[owner].presenter
        }
        return false
    }

    /// Whether a controller's view is inside another controller's view, at any depth.
    func lies(_ id: Int, in place: Int) -> Bool {
        var next = id
        while case .inside(let owner) = self[next].place {
            if owner == place { return true }
            next = owner
        }
        return false
    }

    /// How many controllers own each other, from this one up.
    func depth(of id: Int) -> Int {
        var depth = 1
        var next = self[id].parent ?? self[id].presenter
        while let owner = next {
            depth += 1
            next = self[owner].parent ?? self[owner].presenter
        }
        return depth
    }

    /// How many controllers own each other, from this one down.
    private func height(of id: Int) -> Int {
        let below = self[id].children + (self[id].presented.map { [$0] } ?? [])
        return 1 + (below.map(height).max() ?? 0)
    }

    // MARK: Refusals

    /// 5.42: how many controllers may own each other.
    static let greatestDepth = 256

    /// Whether a controller may become a child of another one; its present parent does not prevent that (5.42).
    func canTake(_ id: Int, into owner: Int) -> Bool {
        guard self[id].parent == nil ? canBeOwned(id) : isUnowned(id) else { return false }
        guard owner != id, !isKept(owner, by: id) else { return false }
        var next: Int? = owner
        while let above = next {
            if lies(above, in: id) { return false }
            next = self[above].parent ?? self[above].presenter
        }
        return depth(of: owner) + height(of: id) <= Self.greatestDepth
    }

    func refusalsOfChange(in container: Int, adding added: [Int]) -> Set<String> {
        var refusals: Set<String> = []
        if busy.contains(container) { refusals.insert("transitionInProgress") }
        if added.contains(where: { !canTake($0, into: container) }) { refusals.insert("hierarchyInconsistency") }
        return refusals
    }

    func refusalsOfPresenting(_ id: Int, from presenter: Int) -> Set<String> {
        var refusals: Set<String> = []
        if self[presenter].presented != nil { refusals.insert("alreadyPresenting") }
        let isServing = self[presenter].phase == .appeared && window(of: presenter) != nil
        // The window of a root is its own, wherever the program has put the view.
        if !isServing || isElsewhere(outermost(of: presenter)) { refusals.insert("presenterNotInWindow") }
        if self[id].parent != nil || !canTake(id, into: presenter) { refusals.insert("hierarchyInconsistency") }
        return refusals
    }

    // MARK: Lifetimes

    /// The controllers that have an owner: a window keeps its root, a parent its children, a presenter the presented one (6.1).
    func reached(from kept: Set<Int>) -> Set<Int> {
        var reached: Set<Int> = []
        func reach(_ id: Int) {
            guard controllers[id] != nil, reached.insert(id).inserted else { return }
            for below in self[id].children + (self[id].presented.map { [$0] } ?? []) { reach(below) }
        }
        for id in windows.compactMap(\.root) + kept { reach(id) }
        return reached
    }

    /// 6.2, 6.5: removes controllers that have no owner.
    ///
    /// Their children lose their parent and their place.
    mutating func bury(allBut kept: Set<Int>) {
        let living = reached(from: kept)
        controllers = controllers.filter { living.contains($0.key) }
        order.removeAll { !living.contains($0) }
        for id in order {
            if let parent = self[id].parent, !living.contains(parent) { self[id].parent = nil }
            if case .inside(let owner) = self[id].place, !living.contains(owner) { self[id].place = .nowhere }
            self[id].inside.removeAll { !living.contains($0) }
        }
        for window in windows.indices { windows[window].inside.removeAll { !living.contains($0) } }
    }
}
