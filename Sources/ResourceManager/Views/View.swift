internal import ResourceCaches

/// A part of a service that is expensive to hold and can be built again: an index, a model, a session, a render tree.
///
/// Views form trees. The root of a tree belongs to a ``ViewController``, which builds it at first use and gives it up
/// when memory is short; a tree whose top is a visible ``Window`` is *on window*, that is, in service, and stays.
///
/// Subclass it to hold what is expensive, and say in ``cost`` how much that is. A view belongs to the isolation of its
/// controller's host.
open class View: Responder {
    /// The view that this one lies in; not kept alive.
    public internal(set) final weak var superview: View?
    /// The views that lie in this one, in the order in which they were added; kept alive.
    public internal(set) final var subviews: [View] = []
    /// The controller whose `view` this is; not kept alive.
    final weak var controller: ViewController?

    /// The bytes that this view holds, without its backing and its subviews; 0 unless the service says more.
    ///
    /// Set it, or override it to compute it. It is read when the view is given up, so it should not walk what it
    /// counts.
    open var cost = 0

    /// What ``makeBacking()`` made, until it is discarded.
    public internal(set) final var backing: Any?

    /// The bytes that the backing holds; 0 unless overridden.
    open var backingCost: Int { 0 }

    /// What the view may use, as its superview or window has handed it down; nothing before it first came on window.
    ///
    /// A change makes the view divide it anew in the next layout pass. Set it in the superview's ``layoutSubviews()``, or
    /// leave that to the default and declare a ``share``.
    public final var budget = Budget.zero {
        didSet { if budget != oldValue { needsLayout = true } }
    }

    /// What the view asks for when its superview's budget is divided.
    ///
    /// `nil`, the default, takes no part in the division: the view's budget is then all that the superview has, as is
    /// right for the one child of a container. A change takes effect in the superview's next layout pass.
    public final var share: BudgetShare? {
        didSet { if share != oldValue { superview?.setNeedsLayout() } }
    }

    /// What the view keeps of its budget for itself; its subviews divide the rest.
    public final var reserve = Budget.zero {
        didSet { if reserve != oldValue { needsLayout = true } }
    }

    final var needsLayout = true
    /// What its events are connected to; `nil` until something is.
    final var connections: [EventConnection]?

    /// A view without superview and subviews.
    public override init() {
        super.init()
    }

    /// A view from an archive, which has its ``cost`` and ``share`` from there.
    ///
    /// Its subviews, outlets and actions come after this, and ``Responder/awakeFromNib()`` after them (rule 1.9).
    public init(coder: Coder) {
        super.init()
        cost = coder["cost"] ?? 0
        share = coder["share"]
    }

    /// Divides the view's budget among its subviews; called in a layout pass, never by you.
    ///
    /// The default gives each subview with a ``share`` its part of what the budget leaves beside the ``reserve``, and all
    /// of that to those without. An override may call `super` or set each subview's ``budget`` itself. The subviews are
    /// laid out after it returns.
    open func layoutSubviews() {
        let available = budget.reduced(by: reserve)
        let sharing = subviews.filter { $0.share != nil }
        for subview in subviews where subview.share == nil { subview.budget = available }
        for (subview, part) in zip(sharing, available.divided(among: sharing.compactMap(\.share))) {
            subview.budget = part
        }
    }

    /// Makes what the view needs only while it is on window: decoded frames, a connection pool, a mapped buffer.
    ///
    /// Called when the view comes on window and has no backing: after it was attached, before its controller's
    /// ``ViewController/viewDidAppear()``. When the view leaves the window the backing stays, but may be taken at any
    /// time: it is discarded at the next memory warning, under both policies, and made again when the view comes back.
    /// The default makes none.
    open func makeBacking() -> Any? { nil }

    /// The controller whose root view this is, else the superview (rule 5.37).
    open override var next: Responder? { controller ?? superview }

    /// The visible window that this view is in, or `nil` if it is off window.
    ///
    /// Walks up the superviews. Other than in UIKit a window that is not visible does not count.
    public final var window: Window? {
        guard let window = top as? Window, window.isVisible else { return nil }
        return window
    }

    /// The bytes held by this view, its backing, and all views below it, by their own count.
    public final var totalCost: Int {
        subviews.reduce(ownCost) { $0.addingSaturated($1.totalCost) }
    }

    /// What goes when the tree is dropped: views of other controllers stay with those.
    final var droppedCost: Int {
        subviews.reduce(ownCost) { $0.addingSaturated($1.controller == nil ? $1.droppedCost : 0) }
    }

    private var ownCost: Int {
        backing == nil ? cost : cost.addingSaturated(backingCost)
    }
}
