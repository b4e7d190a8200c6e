/// A place where views are in service: a listener, a tenant, a worker, with one controller responsible for it.
///
/// Nothing is loaded until the window is made visible. A visible window shows the view of its ``rootViewController``
/// and of the controllers presented on top of it. Other views that are added with `addSubview(_:)` are shown as well,
/// but the window keeps only these views alive: their controllers are destroyed with their last other owner (rule
/// 5.33).
///
/// Hide a window before you release it. A window that is destroyed while visible takes its views off window and ends
/// its presentations without callbacks (rule 5.41).
open class Window: View {
    /// The host whose controllers the window shows.
    public final let host: ControllerHost
    // Read and assigned only as a whole, so no two accesses can overlap.
    /// Whether the window is in service.
    @exclusivity(unchecked) public internal(set) final var isVisible = false
    /// Whether the window is to be in service; differs from ``isVisible`` while it is being hidden.
    final var isWantedVisible = false
    /// The root that is being replaced.
    @Weak final var leavingRoot: ViewController?
    /// How often the root was set.
    final var rootChanges = 0
    /// How often a change of the environment has begun.
    final var environmentChanges = 0
    /// The environment of the window's controllers; ``changeEnvironment(to:isVetoable:)`` changes it (rule 5.36).
    public internal(set) final var environment: Environment
    /// Whether the window's ``View/budget`` and ``environment`` follow the memory and processors of the host.
    ///
    /// `true` until ``resize(to:)`` is called.
    public internal(set) final var followsCapacity = true
    final var root: ViewController?
    /// The presentations that have begun in the window and have not ended.
    final var presentations: [PresentationController] = []

    /// A window that is not visible and has no root; its budget is that of the host.
    public init(host: ControllerHost) {
        self.host = host
        environment = host.environment
        super.init()
        budget = host.environment.budget
        host.windows.append(self)
    }

    deinit {
        // The deinit of a subclass may have given the root, or views, to another window.
        let root = root.flatMap { $0.rootedWindow == nil ? $0 : nil }
        for view in subviews where view.isSubview(of: self) { view.abandonAppearances() }
        // A covered tree may be on its way out, and the program may have put it, or the root, into another window.
        let trees = presentations.compactMap(\.covered) + (root.map { [$0] } ?? [])
        for tree in trees where tree.viewIfLoaded?.window == nil { tree.abandonUnlessDriven() }
        // The presentations end last, all of them before a controller is released whose deinit calls back.
        let presented = presentations.compactMap { presentation in
            presentation.presentedViewController.flatMap { $0.presentation === presentation ? $0 : nil }
        }
        for controller in presented { controller.endPresentationSilently() }
        host.discardBackingsIfRaised()
    }

    /// The host (rule 5.37).
    open override var next: Responder? { host }

    /// Gives the whole budget to the root's view and to the views of the controllers presented on top of it.
    ///
    /// Other views in the window keep the budget that they got when they came in.
    open override func layoutSubviews() {
        // A layer that is about to be covered is still in the window, and may stay there.
        for layer in layers where layer.covers == 0 || layer.isPlaced(in: self) {
            layer.loadedView?.budget = budget.reduced(by: reserve)
        }
    }

    /// Sets the window's budget, and lays out its contents if it is visible.
    ///
    /// From now on the window does not follow the host's capacity. Refused 16 operations deep:
    /// ``ResourceFault/tooManyOperations`` (rule 3.25).
    public final func resize(to budget: Budget) {
        guard host.beginLayout(by: self) else { return }
        followsCapacity = false
        self.budget = budget
        if isVisible { layOut() }
        host.endOperation()
    }
}
