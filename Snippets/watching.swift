// Observing a host: the origin and reasons of its warnings, their outcomes, and mistakes in the use of controllers.
import ResourceManager

@MainActor final class Watch {
    private var registrations: [Registration] = []

    init(_ host: ControllerHost) {
        registrations = [
            host.onFault { fault in print("\(fault): \(fault.advice)") },
            host.onOriginChange { origin in print("warnings come from: \(origin)") },
            host.onDelivery { warning, release in print("\(warning.reason): gave back \(release.released) bytes") },
        ]
    }
}

// The same in the service's own words.
@MainActor final class Reporter {
    private var registrations: [Registration] = []

    init(_ host: ControllerHost) {
        registrations = [
            host.onOriginChange { origin in print(Self.sentence(about: origin)) },
            host.onDelivery { warning, release in
                print("\(Self.sentence(about: warning.reason)): gave back \(release.released) bytes")
            },
        ]
    }

    private static func sentence(about origin: PressureOrigin) -> String {
        switch origin {
        case .daemon(let socket): "warned by memwarnd at \(socket)"
        case .kernel(let path): "watches \(path) itself, as no daemon runs"
        case .none: "no daemon runs, and the kernel's pressure cannot be watched here"
        }
    }

    private static func sentence(about reason: PressureReason) -> String {
        let source: PressureReason.Source = reason.source
        return switch source {
        case .someStall, .fullStall: "tasks waited for memory \(percent(reason.figure)) of the time"
        case .headroom: "\(percent(reason.figure)) of the limit is left, less than \(percent(reason.threshold))"
        case .highEvents, .maxEvents: "the cgroup has reached \(reason.limit.map(sentence) ?? "its limit")"
        case .simulation, .unknown: "\(reason)"
        }
    }

    private static func percent(_ share: Share) -> String { "\(Int(share.percent)) %" }

    private static func sentence(about limit: BindingLimit) -> String {
        let kind: BindingLimit.Kind = limit.kind
        return switch kind {
        case .machine: "the machine's \(limit.bytes >> 20) MiB"
        case .high, .max, .v1: "the \(limit.bytes >> 20) MiB of \(limit.path)"
        }
    }
}

// A debug build may stop at the first mistake.
#if DEBUG
let handling = FaultHandling.trap
#else
let handling = FaultHandling.log
#endif

// In a test.
@MainActor func faults(of host: ControllerHost, in body: () -> Void) -> [ResourceFault] {
    var faults: [ResourceFault] = []
    let registration = host.onFault { faults.append($0) }
    body()
    registration.cancel()
    return faults
}

// The name of each controller that loads its view.
@MainActor func onLoad(in host: ControllerHost, _ note: @escaping (String) -> Void) -> Registration {
    host.onLifecycleEvent { (event: LifecycleEvent) in
        if event.kind == LifecycleEvent.Kind.loadView { note(event.controllerName) }
    }
}

// The options of a host are set when it is made.
let quiet = ControllerHost("quiet", options: .init(policy: ReleasePolicy.keep, delivery: WarningDelivery.offWindowOnly))
quiet.faultHandling = handling
let watch = Watch(quiet)
let reporter = Reporter(quiet)
quiet.simulateMemoryWarning()

func run(_ host: ControllerHost.Service) async {
    do {
        try await host.run()
    } catch let error as KernelError {
        print("memory warnings do not arrive: \(error)")  // no descriptor or no thread is left
    } catch {
        print("ended: \(error)")  // CancellationError
    }
}
