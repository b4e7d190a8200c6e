/// Where views are in service: a listener, a tenant, a worker, with one controller that answers for it.
///
/// Nothing is loaded until the window is made visible. A visible window shows the view of its ``rootViewController`` and
/// what that presents; what else is put into it with `addSubview(_:)` is shown as well, but of that it keeps only the
/// view: the controller goes with its last other owner (rule 5.33).
///
/// Hide a window before you let go of it. One that just goes away takes its views off window and ends what is presented in
/// it, without telling a controller (rule 5.41).
open class Window: View {
    /// The host whose controllers the window shows.
    public final let host: ControllerHost
    /// Whether the window is in service.
    public internal(set) final var isVisible = false
    /// Whether the window is to be in service; differs from ``isVisible`` while it is being hidden.
    final var isWantedVisible = false
    /// The root that is being replaced.
    final weak var leavingRoot: ViewController?
    /// How often a root was asked for.
    final var rootChanges = 0
    /// What the controllers in the window run under; ``changeEnvironment(to:isVetoable:)`` changes it (rule 5.36).
    public internal(set) final var environment: Environment
    /// Whether the window's ``View/budget`` and ``environment`` follow the memory and processors that the host has.
    ///
    /// `true` until ``resize(to:)`` is called.
    public internal(set) final var followsCapacity = true
    final var root: ViewController?

    /// A window that is not visible and has no root; its budget is what the host has.
    public init(host: ControllerHost) {
        self.host = host
        environment = host.environment
        super.init()
        budget = host.environment.budget
        host.windows.append(self)
    }

    deinit {
        root?.rootedWindow = nil
        let inside = subviews.flatMap { $0.topmostControllers() }
        for controller in inside + (root.map { [$0] } ?? []) {
            // What covers a base that was put in by hand is inside, the base is not.
            let base = controller.base
            for presentee in base.presenteesOfTree { presentee.endPresentationSilently() }
            // The program may have put the base into another window since.
            if base === controller || base.viewIfLoaded?.window == nil { base.abandonAppearance() }
        }
    }

    /// The host (rule 5.37).
    open override var next: Responder? { host }

    /// Hands the budget to the root's view and to what is presented on top of it, undivided.
    ///
    /// Other views in the window keep what they got when they came in.
    open override func layoutSubviews() {
        for layer in shownLayers { layer.loadedView?.budget = budget.reduced(by: reserve) }
    }

    /// Gives the window another budget, and lays out what is shown if it is visible.
    ///
    /// From now on the window does not follow the host's capacity.
    public final func resize(to budget: Budget) {
        followsCapacity = false
        self.budget = budget
        layoutIfNeeded()
    }
}
