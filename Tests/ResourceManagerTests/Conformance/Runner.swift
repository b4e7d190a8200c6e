@testable import ResourceManager

/// Runs one case in a host of its own.
///
/// Its code neither waits nor changes isolation, so a case can run on any actor.
final class Runner {
    let script: Script
    let host: ControllerHost
    /// The case's own reclaimer, so that cases that run at once do not empty each other's caches.
    let reclaimer = Reclaimer()
    let log = EventLog()
    /// The controllers whose base `loadView()` is running, the innermost last.
    var owners: [TracedController] = []

    private struct Reference {
        weak var object: AnyObject?
    }

    private var held: [String: AnyObject] = [:]
    private var known: [String: Reference] = [:]
    private var delegate: Delegate?
    private var connections: Registration?
    var bundle: ArchiveBundle?
    /// The names of the controllers that archives will make next.
    var upcoming: [ArchiveBundle.NamedScene] = []
    private var problem: CaseProblem?

    init(_ script: Script) {
        self.script = script
        host = reclaimer.use {
            ControllerHost("case", options: .init(policy: script.policy, delivery: script.delivery))
        }
        host.faultHandling = .record { [log] in log.record(.fault($0)) }
        connections = host.onLifecycleEvent { [weak self] in self?.noteConnection($0) }
    }

    /// Runs the case; called once.
    func run() -> Outcome {
        for operation in script.given { perform(operation) }
        _ = log.take()
        for operation in script.when { perform(operation) }
        let events = log.take().filter { event in
            script.alphabet.counts(event) && (event.kind == "fault" || script.only?.contains(event.subject) ?? true)
        }
        var outcome = Outcome(events: events.map(\.text))
        do {
            for assertion in script.assertions { outcome.state[assertion.key] = try answer(to: assertion) }
        } catch {
            note(error)
        }
        outcome.problem = problem
        held = [:]
        outcome.survivors = known.filter { $1.object is ViewController }.keys.sorted()
        return outcome
    }

    /// Performs an operation, unless there has been a problem.
    func perform(_ operation: Operation) {
        guard problem == nil else { return }
        // Endless operations would crash the process instead of failing the case.
        guard log.depth < 50 else { return note(CaseProblem("operations go on inside operations")) }
        log.beginOperation()
        do { try operation.perform(self) } catch { note(error) }
        log.endOperation()
    }

    func note(_ error: any Error) {
        problem = problem ?? error as? CaseProblem ?? CaseProblem("\(error)")
    }

    private func noteConnection(_ event: LifecycleEvent) {
        guard event.kind == .connect || event.kind == .connectAction else { return }
        let controller = known[event.controllerName]?.object as? TracedController
        controller?.enter(event.kind.rawValue, event.detail)
    }

    /// Answers an assertion.
    ///
    /// A controller that no longer exists has neither view nor parent.
    private func answer(to assertion: Assertion) throws -> JSON {
        guard known[assertion.controller] != nil else {
            throw CaseProblem("there is no \(assertion.controller)")
        }
        let controller = known[assertion.controller]?.object as? ViewController
        switch assertion.property {
        case .isViewLoaded: return .bool(controller?.isViewLoaded ?? false)
        case .superviewIsNil: return .bool(controller?.viewIfLoaded?.superview == nil)
        case .parent: return controller?.parent?.title.map(JSON.string) ?? .null
        }
    }
}

// MARK: Names

extension Runner {
    /// Keeps an object until it is released.
    func hold(_ object: AnyObject, as name: String) {
        (object as? ViewController)?.title = name
        held[name] = object
        known[name] = Reference(object: object)
    }

    /// Stops keeping an object.
    ///
    /// Operations can still refer to it by its name while another owner keeps it.
    func release(_ name: String) throws {
        guard known[name] != nil else { throw CaseProblem("there is no \(name)") }
        held[name] = nil
    }

    func find<Object>(_ name: String, _ type: Object.Type) throws -> Object {
        guard let reference = known[name] else { throw CaseProblem("there is no \(name)") }
        guard let object = reference.object else { throw CaseProblem("\(name) is gone") }
        guard let found = object as? Object else { throw CaseProblem("\(name) is no \(Object.self)") }
        return found
    }

    func controller(_ name: String) throws -> ViewController { try find(name, ViewController.self) }
    func navigation(_ name: String) throws -> NavigationController { try find(name, NavigationController.self) }
    func window(_ name: String) throws -> Window { try find(name, Window.self) }
    func cache(_ name: String) throws -> TracedCache { try find(name, TracedCache.self) }
    func content(_ name: String) throws -> TracedContent { try find(name, TracedContent.self) }
}

// MARK: The host

extension Runner {
    private final class Delegate: ControllerHostDelegate {
        private let log: EventLog

        init(_ log: EventLog) {
            self.log = log
        }

        func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
            log.record(Event("host", "applicationDidReceiveMemoryWarning"))
        }
    }

    func appointDelegate() {
        delegate = Delegate(log)
        host.delegate = delegate
    }

    /// Notes one link of a responder chain.
    ///
    /// A view without a controller has no name, so it is not noted.
    func recordLink(_ responder: Responder) {
        switch responder {
        case let controller as ViewController: recordLink(controller.title, "")
        case is Window: recordLink("window", "")
        case let view as View: recordLink(view.controller?.title, ".view")
        case is ControllerHost: recordLink("host", "")
        default: break
        }
    }

    private func recordLink(_ name: String?, _ suffix: String) {
        if let name { log.record(Event(name, "chain", text: name + suffix)) }
    }
}
