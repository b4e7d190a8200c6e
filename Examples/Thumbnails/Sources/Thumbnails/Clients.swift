import ResourceManager

/// The clients, each with a controller, and with a window that is visible while the client is active.
///
/// Who is idle is looked at when memory is short, before the controllers are warned: nothing has to wake up for it in
/// between. An idle client's window is hidden then, and its view goes with the warning that follows.
final class Clients: ControllerHostDelegate {
    private struct Client {
        let controller: ClientController
        let window: Window
        var lastRequest: ContinuousClock.Instant
    }

    private let host: ControllerHost
    private let idleTime: Duration
    private let now: () -> ContinuousClock.Instant
    private var clients: [Int: Client] = [:]

    init(host: ControllerHost, idleTime: Duration, now: @escaping () -> ContinuousClock.Instant = { .now }) {
        self.host = host
        self.idleTime = idleTime
        self.now = now
        host.delegate = self
    }

    /// The controller of a client that has asked for something just now.
    func controller(of number: Int) -> ClientController {
        var client = clients[number] ?? makeClient()
        client.lastRequest = now()
        clients[number] = client
        client.window.makeVisible()
        return client.controller
    }

    var count: Int { clients.count }
    var shownCount: Int { clients.values.count { $0.window.isVisible } }
    var loadedCount: Int { clients.values.count { $0.controller.isViewLoaded } }
    var originalBytes: Int { clients.values.reduce(0) { $0 + ($1.controller.viewIfLoaded?.totalCost ?? 0) } }

    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
        let idle = clients.values.filter { $0.lastRequest.duration(to: now()) >= idleTime }
        for client in idle { client.window.hide() }
    }

    func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning) {
        // Of those there is nothing left to remember.
        clients = clients.filter { $0.value.window.isVisible || $0.value.controller.isViewLoaded }
    }

    private func makeClient() -> Client {
        let controller = ClientController(host: host)
        let window = Window(host: host)
        window.rootViewController = controller
        return Client(controller: controller, window: window, lastRequest: now())
    }
}
