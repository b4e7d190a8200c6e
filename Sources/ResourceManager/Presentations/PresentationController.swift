/// How a presented controller is laid over the one that presents it; one for each presentation.
///
/// Subclass it and return yours from ``ViewController/makePresentationController(presenting:style:)`` to do something
/// at the steps of a takeover: stop a listener, note it in a log.
open class PresentationController {
    /// The controller on top; not kept alive.
    public private(set) final weak var presentedViewController: ViewController?
    /// The controller that asked for it; not kept alive.
    public private(set) final weak var presentingViewController: ViewController?
    /// How the presenter is covered.
    public final let style: PresentationStyle
    /// Where the presentation takes place.
    final weak var window: Window?
    /// The tree that leaves the window meanwhile; `nil` for an overlay.
    private(set) final weak var covered: ViewController?
    /// Whether no link wants the presented controller in service any more.
    private(set) final var isEnding = false
    private final var isEndAnnounced = false

    /// A presentation that has not begun.
    public init(presented: ViewController, presenting: ViewController, style: PresentationStyle) {
        presentedViewController = presented
        presentingViewController = presenting
        self.style = style
    }

    /// Has a tree leave the window until the presentation ends.
    final func cover(_ tree: ViewController) {
        covered = tree
        tree.covers += 1
        if tree.isBare { tree.returnPlace = tree.loadedView?.superview }
    }

    /// What was covered is wanted again, what is presented no longer.
    final func end() {
        guard !isEnding else { return }
        isEnding = true
        covered?.covers -= 1
    }

    /// Calls ``dismissalTransitionWillBegin()``, once.
    final func announceEnd() {
        guard !isEndAnnounced else { return }
        isEndAnnounced = true
        dismissalTransitionWillBegin()
    }

    /// The presented view is loaded, and no controller has been told of an appearance yet.
    open func presentationTransitionWillBegin() {}
    /// The presented controller has appeared, and a covered presenter disappeared.
    open func presentationTransitionDidEnd() {}
    /// The presenter's view is loaded again if need be, and no controller has been told of a disappearance yet.
    open func dismissalTransitionWillBegin() {}
    /// The presented controller has disappeared.
    open func dismissalTransitionDidEnd() {}

    /// A layout pass of the presented view: between its controller's `viewWillLayoutSubviews` and the view's
    /// `layoutSubviews` (rule 3.8).
    open func containerViewWillLayoutSubviews() {}
    /// The layout pass of the presented view is over, its controller's `viewDidLayoutSubviews` included.
    open func containerViewDidLayoutSubviews() {}
}
