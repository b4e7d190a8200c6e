/// Where views are in service: a listener, a tenant, a worker, with one controller that answers for it.
///
/// Nothing is loaded until the window is made visible. A visible window shows the view of its ``rootViewController``;
/// what else is put into it with `addSubview(_:)` is shown as well, but of that it keeps only the view: the controller
/// goes with its last other owner (rule 5.33).
///
/// Hide a window before you let go of it. One that just goes away takes its views off window without telling anybody.
open class Window: View {
    /// The host whose controllers the window shows.
    public final let host: ControllerHost
    /// Whether the window is in service.
    public internal(set) final var isVisible = false
    final var root: ViewController?

    /// A window that is not visible and has no root.
    public init(host: ControllerHost) {
        self.host = host
        super.init()
    }

    deinit {
        for subview in subviews {
            for controller in subview.topmostControllers() { controller.abandonAppearance() }
        }
    }
}
