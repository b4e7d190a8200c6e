// The reactions of a service to a memory warning.
import ResourceManager

final class HistoryView: View {
    var days = 365 { didSet { cost = days << 20 } }
    var position = 0

    override init() {
        super.init()
        cost = days << 20
    }
}

final class HistoryController: ViewController {
    override func loadView() { view = HistoryView() }

    override func saveViewState(in state: inout Properties) {
        state["position"] = (viewIfLoaded as? HistoryView)?.position
    }
    override func restoreViewState(from state: Properties) {
        (viewIfLoaded as? HistoryView)?.position = state["position"] ?? 0
    }

    override func degrade() -> Int {
        guard let history = viewIfLoaded as? HistoryView else { return 0 }
        let before = history.cost
        history.days = host.currentWarning?.level == .critical ? 7 : 30
        return before - history.cost
    }
    override func recover() {
        (viewIfLoaded as? HistoryView)?.days = 365
    }
}

final class ThumbnailController: ViewController {
    private var decoded: [String: [UInt8]] = [:]

    override func didReceiveMemoryWarning() {
        super.didReceiveMemoryWarning()
        decoded = [:]
        releaseViewIfOffWindow()
    }
}

let keeping = ControllerHost("thumbnails", options: .init(policy: .keep))
let thumbnails = ThumbnailController(host: keeping)

let host = ControllerHost("history")
let pages = ResourceCache<String, [UInt8]>("pages", limit: 256 << 20)
let history = HistoryController(host: host)

final class Service: ControllerHostDelegate {
    private var registrations: [Registration] = []

    init(_ host: ControllerHost) {
        host.delegate = self
        registrations = [
            host.onMemoryWarning { warning in print("short of memory: \(warning.level)") },
            host.onLevelChange { level in print("now \(level)") },
        ]
    }

    func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning) {
        print("\(warning.level): gave back \(release.released) bytes in \(release.duration)")
    }
}

let service = Service(host)

// The next read loads the page again.
func page(_ path: String) -> [UInt8] {
    pages.value(for: path, cost: 4096) { [UInt8](repeating: 0, count: 4096) }
}

// As a test does it.
let trace = TraceRecorder(host)
history.loadViewIfNeeded()
let release = host.simulateMemoryWarning(.critical)
print(release.released, trace.take())

let status = host.onCommand("status") { _ in "\(pages.count) pages" }  // keep what is returned
