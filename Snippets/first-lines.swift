// The lines that are written first: a host beside a server, observers in actors, slow views, many tenants.
import ResourceManager

struct Server: Sendable {
    func run() async throws {}
}

let server = Server()

// Beside a server, on the main actor: top-level code is there.
@MainActor func serve() async throws {
    let host = ControllerHost("search")
    let service = host.service()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await service.run() }
        group.addTask { try await server.run() }
        try await group.next()
        group.cancelAll()
    }
}

// In a separate task, where no other code uses the host: a service with caches alone.
func serveCaches() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await ControllerHost("search").run() }
        group.addTask { try await server.run() }
        try await group.next()
        group.cancelAll()
    }
}

// As a Sendable value that makes the host itself.
struct CacheService: Sendable {
    func run() async throws {
        let host = ControllerHost("caches")
        try await host.run()
    }
}

// On an actor of its own, from the outside and from the inside.
actor Index {
    private let host: ControllerHost
    private var warned = 0
    private var level = PressureLevel.normal
    private var terms: [String: [Int]] = [:]

    init() {
        let host = ControllerHost("indexer")
        self.host = host
        host.onMemoryWarning(of: self) { owner, warning in owner.warned += 1 }
        host.onLevelChange(of: self) { owner, level in owner.level = level }
    }

    func prepare() {
        host.onMemoryRelease(of: self) { owner, warning in
            let bytes = owner.terms.count * 96
            owner.terms = [:]
            return bytes
        }
    }

    func run() async throws {
        try await host.run()
    }

    func service() -> ControllerHost.Service { host.service() }

    func levels() -> AsyncStream<PressureLevel> { host.levels }
}

func watch(_ index: Index) async {
    for await level in await index.levels() { print("now \(level)") }
}

// A class of a global actor.
@MainActor final class Model {
    private var warned = 0

    init(host: ControllerHost) {
        host.onMemoryWarning(of: self) { owner, warning in owner.warned += 1 }
    }
}

// An actor that decides for the whole service.
actor Search: AsyncControllerHostDelegate {
    private let host = ControllerHost("search")
    private var isBusy = false

    func run() async throws {
        host.asyncDelegate = self
        try await host.run()
    }

    func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) { isBusy = true }
}

@MainActor func read(_ host: ControllerHost) async {
    for await warning in host.memoryWarnings { log(warning) }
}

func log(_ warning: MemoryWarning) { print(warning.level) }

// A view whose content takes time.
final class TermsView: View {
    var terms: [String] = []
}

final class TermsController: ViewController {
    override func loadView() { view = TermsView() }

    override func viewDidLoad() {
        load {
            try await fetchTerms()
        } then: { [weak self] terms in
            (self?.viewIfLoaded as? TermsView)?.terms = (try? terms.get()) ?? []
        }
    }

    nonisolated(nonsending) func terms() async throws -> [String] {
        try await load { try await fetchTerms() }
    }
}

func fetchTerms() async throws -> [String] { ["memory", "pressure"] }

extension TermsController {
    nonisolated(nonsending) func answer() async throws -> [String] {
        if case .failed = loadState { retryLoads() }
        let view = try await readyView()
        return (view as? TermsView)?.terms ?? []
    }
}

// The answers to a request while the view is loading, or could not be loaded.
extension TermsController {
    var health: String {
        let state: LoadState = loadState
        return switch state {
        case .unloaded: "cold"
        case .loading: "loading"
        case .loaded: "warm"
        case .failed(let error): "failed: \(error)"
        }
    }

    nonisolated(nonsending) func answerOrWait() async throws -> [String] {
        do {
            return try await answer()
        } catch ViewLoadError.viewReleased {
            return try await answer()  // memory was short meanwhile; this loads the view again
        }
    }
}

// Properties that are made when they are needed.
final class IndexController: ViewController {
    private lazy var terms = resource({ $0.readTerms() }, cost: { $0.count * 32 })

    func count() -> Int { terms().count }
}

extension IndexController {
    private func readTerms() -> [String] { ["memory", "pressure"] }
}

// The same for all controllers of a service.
extension LazyResourceOwner {
    func table(_ load: @escaping (Self) -> [String]) -> LazyResource<[String]> {
        resource(load, cost: { $0.count * 32 })
    }
}

// Many tenants, few of them active.
struct Request: Sendable {
    var tenant: String
}

struct Response: Sendable {
    var text: String
}

final class TenantController: ViewController {
    init(_ name: String, host: ControllerHost) {
        super.init(host: host)
        title = name
    }

    func answer(_ request: Request) -> Response { Response(text: "\(request.tenant): \(view.cost) bytes") }
}

let host = ControllerHost("search")
let window = Window(host: host)
let tenants = WorkingSetController<String, TenantController>(host: host, limit: 8)
window.rootViewController = tenants
window.makeVisible()

@MainActor func answer(_ request: Request) -> Response {
    let tenant = tenants.child(for: request.tenant) { TenantController(request.tenant, host: host) }
    return tenant.answer(request)
}

actor Tenants {
    private let host: ControllerHost
    private let set: WorkingSetController<String, TenantController>

    init() {
        let host = ControllerHost("tenants")
        self.host = host
        set = WorkingSetController(host: host, limit: 8, idleTime: .seconds(60))
    }

    func answer(_ request: Request) -> Response {
        set.child(for: request.tenant) { TenantController(request.tenant, host: host) }.answer(request)
    }
}

print(answer(Request(tenant: "a")).text, IndexController(host: host).count())
let terms = TermsController(host: host)
print(try await terms.terms(), try await terms.answer())
try await serve()
