@testable import ResourceManager

/// A test's own host and caches, with a trace of all their events, including faults.
struct Stage {
    let host: ControllerHost
    let trace = Trace()
    let reclaimer: Reclaimer

    init(
        policy: ReleasePolicy = .unload,
        delivery: WarningDelivery = .all,
        reclaimer: Reclaimer = Reclaimer()
    ) {
        self.reclaimer = reclaimer
        host = reclaimer.use { ControllerHost("stage", options: .init(policy: policy, delivery: delivery)) }
        host.faultHandling = .record { [trace] in trace.record("fault:\($0)") }
    }

    /// Makes a controller; the trace does not contain its creation.
    func controller(
        _ name: String,
        loadView: RecordingController.LoadView = .callsSuper,
        on: [String: (RecordingController) -> Void] = [:]
    ) -> RecordingController {
        let controller = RecordingController(name, host: host, trace: trace, on: on)
        controller.loadViewStyle = loadView
        _ = trace.take()
        return controller
    }

    /// Makes a visible window with this root; the trace does not contain the callbacks of showing it.
    func window(showing root: ViewController? = nil) -> Window {
        let window = Window(host: host)
        window.rootViewController = root
        window.makeVisible()
        _ = trace.take()
        return window
    }

    /// Returns the events that `body` causes.
    func events(_ body: () -> Void) -> [String] {
        _ = trace.take()
        body()
        return trace.take()
    }

    /// Returns the events that one warning causes.
    func warn() -> [String] {
        events { host.simulateMemoryWarning() }
    }
}
