/// Controls how a presented controller covers its presenter; each presentation has a new one.
///
/// Subclass it and return yours from ``ViewController/makePresentationController(presenting:style:)`` to act at the
/// steps of a presentation: stop a listener, write to a log.
open class PresentationController {
    /// The controller on top; not kept alive.
    public final var presentedViewController: ViewController? { presented }
    /// The presenter; not kept alive.
    public final var presentingViewController: ViewController? { presenter }
    @Weak private final var presented: ViewController?
    @Weak private final var presenter: ViewController?
    /// How the presenter is covered.
    public final let style: PresentationStyle
    /// The window of the presentation.
    @Weak final var window: Window?
    /// The tree that leaves the window meanwhile; `nil` for an overlay.
    @Weak private(set) final var covered: ViewController?
    /// Whether no link wants the presented controller in service any more.
    private(set) final var isEnding = false
    private final var isBeginAnnounced = false
    private final var isEndAnnounced = false
    private final var hasBegun = false

    /// A presentation that has not begun.
    public init(presented: ViewController, presenting: ViewController, style: PresentationStyle) {
        self.presented = presented
        presenter = presenting
        self.style = style
    }

    /// Begins the presentation of a controller by another; `false` if it was made for others, or has begun before.
    final func begin(_ presented: ViewController, by presenter: ViewController) -> Bool {
        guard !hasBegun, presentedViewController === presented, presentingViewController === presenter else {
            return false
        }
        hasBegun = true
        return true
    }

    /// Takes a tree out of the window until the presentation ends.
    final func cover(_ tree: ViewController) {
        covered = tree
        tree.covers += 1
        // A tree on its way out does not return.
        if tree.isBare, tree.appearance.phase != .disappearing { tree.returnPlace = tree.loadedView?.superview }
    }

    /// Marks the end: the covered tree is wanted again, the presented controller no longer.
    final func end() {
        guard !isEnding else { return }
        isEnding = true
        covered?.covers -= 1
    }

    /// Calls ``presentationTransitionWillBegin()``.
    final func announceBegin() {
        isBeginAnnounced = true
        presentationTransitionWillBegin()
    }

    /// Whether the end is due to be announced: the beginning was, which a callback of the load may have prevented.
    final var isEndUnannounced: Bool { isBeginAnnounced && !isEndAnnounced }

    /// Calls ``dismissalTransitionWillBegin()``, once.
    final func announceEnd() {
        guard isEndUnannounced else { return }
        isEndAnnounced = true
        dismissalTransitionWillBegin()
    }

    /// Withdraws an end that was announced, because a callback has set the root again that was being replaced: the next
    /// end is announced too.
    final func withdrawEnd() {
        isEndAnnounced = false
    }

    /// Calls ``dismissalTransitionDidEnd()``, unless a callback has begun the presentation so late, or ended it so early,
    /// that its end could not be announced.
    final func announceEnded() {
        if isEndAnnounced { dismissalTransitionDidEnd() }
    }

    /// The presented view is loaded, and no controller has been told of an appearance yet.
    open func presentationTransitionWillBegin() {}
    /// The presented controller has appeared, and a covered presenter has disappeared.
    open func presentationTransitionDidEnd() {}
    /// The presenter's view is loaded (again if necessary), and no controller has been told of a disappearance yet.
    open func dismissalTransitionWillBegin() {}
    /// The presented controller has disappeared.
    open func dismissalTransitionDidEnd() {}

    /// A layout pass of the presented view: called between its controller's `viewWillLayoutSubviews` and the view's
    /// `layoutSubviews` (rule 3.8).
    open func containerViewWillLayoutSubviews() {}
    /// The layout pass of the presented view is over, after its controller's `viewDidLayoutSubviews`.
    open func containerViewDidLayoutSubviews() {}
}
