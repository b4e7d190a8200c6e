internal import ResourceCaches

/// A part of a service that is expensive to hold and can be built again: an index, a model, a session, a render tree.
///
/// Views form trees. The root of a tree belongs to a ``ViewController``, which builds it at first use and releases it
/// when memory is short. A tree whose top is a visible ``Window`` is *on window*, that is, in service, and stays.
///
/// Subclass it to hold the expensive part, and declare its size in ``cost``. A view belongs to the isolation of its
/// controller's host.
open class View: Responder {
    /// The view that contains this one; not kept alive.
    public internal(set) final var superview: View? {
        get { weakSuperview.wrappedValue }
        set {
            weakSuperview = Weak(wrappedValue: newValue)
            placements &+= 1
            superviewIdentity = newValue.map(ObjectIdentifier.init)
        }
    }
    // Read and assigned only as a whole, so no two accesses can overlap.
    @exclusivity(unchecked) private final var weakSuperview = Weak<View>(wrappedValue: nil)
    /// Identifies the superview, which removes this in its deinit: comparisons need no retain.
    private final var superviewIdentity: ObjectIdentifier?
    /// The views in this one, in the order in which they were added; kept alive.
    public internal(set) final var subviews: [View] = []
    /// The controller whose `view` this is; not kept alive.
    final var controller: ViewController? {
        get { weakController.wrappedValue }
        set { weakController = Weak(wrappedValue: newValue) }
    }
    // Read and assigned only as a whole, so no two accesses can overlap.
    @exclusivity(unchecked) private final var weakController = Weak<ViewController>(wrappedValue: nil)

    /// The bytes that this view holds, without its backing and its subviews; 0 unless the service sets it.
    ///
    /// Set it, or override it to compute it. It is read when the view is released, so it should not walk the data that
    /// it counts.
    open var cost = 0

    /// The object that ``makeBacking()`` made, until it is discarded.
    public internal(set) final var backing: Any?

    /// The bytes that the backing holds; 0 unless overridden.
    open var backingCost: Int { 0 }

    /// The budget of the view, from its superview or window; zero before it first joined a tree that has one.
    ///
    /// A change makes the view divide it again in the next layout pass. Set it in the superview's ``layoutSubviews()``,
    /// or leave that to the default and declare a ``share``.
    public final var budget = Budget.zero {
        didSet { if budget != oldValue { needsLayout = true } }
    }

    /// The view's part when its superview's budget is divided.
    ///
    /// With `nil`, the default, the view takes no part in the division and gets the whole budget of the superview,
    /// which is right for a container's only child. A change takes effect in the superview's next layout pass.
    public final var share: BudgetShare? {
        didSet { if share != oldValue { superview?.setNeedsLayout() } }
    }

    final var needsLayout = true
    /// Whether the bytes of the backing have been reported as released.
    final var isBackingCounted = false
    /// Whether a layout pass of the view is under way.
    final var isLayingOut = false
    /// How often the view was put into a superview or taken out of it.
    final var placements: UInt32 = 0

    /// The part of its budget that the view keeps for itself; its subviews divide the rest.
    public final var reserve = Budget.zero {
        didSet { if reserve != oldValue { needsLayout = true } }
    }

    /// The connections of its events; `nil` while there are none.
    final var connections: [EventConnection]?

    /// A view without superview and subviews.
    public override init() {
        super.init()
    }

    /// A view from an archive, which provides its ``cost`` and ``share``.
    ///
    /// Its subviews, outlets and actions follow after this, then ``Responder/awakeFromNib()`` (rule 1.9).
    public init(coder: Coder) {
        super.init()
        cost = coder["cost"] ?? 0
        share = coder["share"]
    }

    deinit {
        // They are in no view any more, except those that a subclass's deinit has put elsewhere.
        for subview in subviews where subview.isSubview(of: self) { subview.superviewIdentity = nil }
    }

    /// Whether this view is in another one, which may be in its deinit.
    final var hasSuperview: Bool { superviewIdentity != nil }

    /// Whether this view is directly in another one.
    final func isSubview(of view: View) -> Bool { superviewIdentity == ObjectIdentifier(view) }

    /// Divides the view's budget among its subviews; called by the library in a layout pass.
    ///
    /// The default subtracts the ``reserve``, gives each subview with a ``share`` its part of the rest, and gives all
    /// of the rest to each subview without one. An override may call `super` or set each subview's ``budget`` itself.
    /// The subviews are laid out after it returns.
    open func layoutSubviews() {
        let available = budget.reduced(by: reserve)
        let sharing = subviews.filter { $0.share != nil }
        for subview in subviews where subview.share == nil { subview.budget = available }
        for (subview, part) in zip(sharing, available.divided(among: sharing.compactMap(\.share))) {
            subview.budget = part
        }
    }

    /// Makes an object that the view needs only on window: decoded frames, a connection pool, a mapped buffer.
    ///
    /// Called when the view comes on window and has no backing: after it was attached, before its controller's
    /// ``ViewController/viewDidAppear()``. When the view leaves the window, the backing stays until the next memory
    /// warning, which discards it under both policies. While the host's level is raised, it is discarded as soon as the
    /// view has left (rule 4.13). It is made again when the view returns. The default makes none.
    open func makeBacking() -> Any? { nil }

    /// The controller of this view if it is a root view, otherwise the superview (rule 5.37).
    open override var next: Responder? { controller ?? superview }

    /// The visible window that this view is in, or `nil` if it is off window.
    ///
    /// Walks up the superviews. Unlike in UIKit, a window that is not visible does not count.
    public final var window: Window? {
        guard let window = top as? Window, window.isVisible else { return nil }
        return window
    }

    /// The bytes held by this view, its backing, and all views below it, by their own count.
    public final var totalCost: Int {
        subviews.reduce(ownCost) { $0.addingSaturated($1.totalCost) }
    }

    private var ownCost: Int {
        backing == nil ? cost : cost.addingSaturated(backingCost)
    }
}
