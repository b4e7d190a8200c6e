import ResourceManager

/// The clients, each with a controller that is in service while the client is active.
struct Clients {
    private let controllers: WorkingSetController<Int, ClientController>
    private let window: Window

    /// Creates the container, without clients.
    ///
    /// A client is idle when `idleTime` has passed since its last request; then a warning takes its view.
    init(host: ControllerHost, idleTime: Duration, now: @escaping () -> ContinuousClock.Instant = { .now }) {
        controllers = WorkingSetController(host: host, idleTime: idleTime, now: now)
        window = Window(host: host)
        window.rootViewController = controllers
        window.makeVisible()
    }

    /// The controller of a client that has just sent a request.
    func controller(of number: Int) -> ClientController {
        controllers.child(for: number) { ClientController(host: controllers.host) }
    }

    var count: Int { controllers.children.count }
    var shownCount: Int { controllers.childrenInService.count }
    var loadedCount: Int { controllers.children.count(where: \.isViewLoaded) }
    var originalBytes: Int { controllers.children.reduce(0) { $0 + ($1.viewIfLoaded?.totalCost ?? 0) } }
}
