// Hosts on actors.
import ResourceManager

actor SearchService {
    private let host = ControllerHost("search")
    private let index: ViewController

    init() {
        index = ViewController(host: host)
    }

    var isWarm: Bool { index.isViewLoaded }

    func run() async throws {
        try await host.run()
    }
}

// Two graphs in one process, which share a cache.
actor Shard {
    private let host: ControllerHost
    private let pages: ResourceCache<Int, [UInt8]>

    init(_ number: Int, pages: ResourceCache<Int, [UInt8]>) {
        host = ControllerHost("shard-\(number)")
        self.pages = pages
    }

    func run() async throws { try await host.run() }
}

func serve() async throws {
    let pages = ResourceCache<Int, [UInt8]>("pages", limit: 256 << 20)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<2 {
            group.addTask { try await Shard(number, pages: pages).run() }
        }
        try await group.waitForAll()
    }
}

// Slow work runs elsewhere, and its result returns to the host.
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
}

func fetchTerms() async throws -> [String] { ["memory", "pressure"] }

final class QueryController: ViewController {
    private var position = 0

    override func viewWillDisappear() {
        let position = position
        host.save { await store(position) }
    }
}

func store(_ position: Int) async {}

try await serve()
