@testable import ResourceManager

/// A host of its own, caches included, with a trace of everything in it, faults too.
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

    /// A controller whose making is not in the trace.
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

    /// A visible window with this root; how it came there is not in the trace.
    func window(showing root: ViewController? = nil) -> Window {
        let window = Window(host: host)
        window.rootViewController = root
        window.makeVisible()
        _ = trace.take()
        return window
    }

    /// What `body` makes happen.
    func events(_ body: () -> Void) -> [String] {
        _ = trace.take()
        body()
        return trace.take()
    }

    /// What one warning makes happen.
    func warn() -> [String] {
        events { host.simulateMemoryWarning() }
    }
}
