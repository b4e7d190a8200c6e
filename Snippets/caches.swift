// A cache of pages: its limit, its loads, the values that stay, and its figures.
import ResourceManager

struct NoSuchPage: Error {}
func render(_ path: String) async throws -> [UInt8] { [UInt8](repeating: 0, count: 4096) }
func renderAtOnce(_ path: String) throws(NoSuchPage) -> [UInt8] { [UInt8](repeating: 0, count: 4096) }
func renderAll(_ paths: [String]) async throws -> [String: [UInt8]] { [:] }
func serve(_ page: [UInt8]) async {}

var options = ResourceCache<String, [UInt8]>.Options()
options.weigher = { path, page in path.utf8.count + page.count }
let pages = ResourceCache<String, [UInt8]>("pages", limit: 256 << 20, options: options)
let page = try await pages.load("index") { path in try await render(path) }

// Without any option: a number of values.
let titles = ResourceCache<String, String>("titles", limit: 1000)

func title(of path: String) -> String? {
    if let title = titles.value(for: path) { return title }
    guard let count = pages.withValue(for: path, { page in page.count }) else { return nil }
    titles.insert("\(path), \(count) bytes", for: path)
    return titles.value(for: path)
}

// Further options of a cache.
func makePatientPages() -> ResourceCache<String, [UInt8]> {
    var options = ResourceCache<String, [UInt8]>.Options()
    options.timeToLive = .seconds(3600)
    options.refreshAfter = .seconds(300)
    options.failureTimeToLive = .seconds(1)
    return ResourceCache("patient pages", limit: 1000, options: options)
}

func answer(_ path: String) async throws -> [UInt8] {
    try await pages.load(path) { path in try await render(path) }
}

func answerOnThread(_ path: String) throws(NoSuchPage) -> [UInt8] {
    try pages.value(for: path) { () throws(NoSuchPage) in try renderAtOnce(path) }
}

func answerAll(_ paths: [String]) async throws -> [String: [UInt8]] {
    try await pages.load(paths) { missing in try await renderAll(missing) }
}

// Values with lifetimes of their own, which are checked before they are made again.
struct Feed {
    let tag: String
    let text: String
}
struct Answer {
    /// `nil` if the feed still has the tag.
    let feed: Feed?
    let lifetime: Duration
}
func fetch(_ path: String, unlessTagged tag: String?) async throws -> Answer {
    Answer(feed: tag == "1" ? nil : Feed(tag: "1", text: path), lifetime: .seconds(60))
}
let feeds = ResourceCache<String, Feed>("feeds", limit: 1000)

func feed(_ path: String) async throws -> Feed {
    try await feeds.load(path) { path, old in
        let answer = try await fetch(path, unlessTagged: old?.tag)
        let day = Duration.seconds(86_400)
        guard let feed = answer.feed else { return .unchanged(timeToLive: day, refreshAfter: answer.lifetime) }
        return .value(feed, timeToLive: day, refreshAfter: answer.lifetime)
    }
}

// The same without an old value, in a separate function.
func newFeed(_ path: String) async throws -> ResourceCache<String, Feed>.Loaded {
    let answer = try await fetch(path, unlessTagged: nil)
    guard let feed = answer.feed else { return .unchanged(timeToLive: answer.lifetime) }
    return .value(feed, timeToLive: answer.lifetime)
}

func refresh(_ path: String) async throws -> Feed {
    try await feeds.refresh(path) { path, _ in try await newFeed(path) }
}

// Values that are changed in place.
let visits = ResourceCache<String, Int>("visits", limit: 10_000)

func noteVisit(of path: String) {
    visits.update(path) { $0 = ($0 ?? 0) + 1 }
}

// Over a restart.
func pathsToKeep() -> [String] {
    pages.hottest(1000)
}
func start(with paths: [String]) async {
    await pages.warm(paths) { path in try await render(path) }
}

// A value that may not leave while it is served, for a minute at most.
func serveFrontPage() async {
    guard let pin = pages.pin("index", owner: "front page", for: .seconds(60)) else { return }
    await serve(pin.value)
}

// A pin ends with the object that holds it.
final class Screen {
    private let pin: ResourceCache<String, [UInt8]>.Pin?

    init(showing path: String) {
        pin = pages.pin(path, owner: "screen")
    }
}

// The removed values, as a stream of keys: a stream of values would keep the memory that is to be given back.
func makeHeardPages() -> (pages: ResourceCache<String, [UInt8]>, evicted: AsyncStream<String>) {
    var options = ResourceCache<String, [UInt8]>.Options()
    let (evicted, note) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1000))
    options.onRemoval = { removals in
        for removal in removals where removal.reason == .evicted { note.yield(removal.key) }
    }
    return (ResourceCache("heard pages", limit: 1000, options: options), evicted)
}

// The number of loads that run at once while memory is short, and the time for which each counts.
func allowLoads() {
    LoadLimits.process = LoadLimits(atOnce: 16, countedFor: .seconds(10))
}

// A warning and its outcome.
let host = ControllerHost("pages")
let release = host.simulateMemoryWarning(.warning)
let statistics = pages.statistics
print("dropped \(release.released), resident memory down by \(release.residentFreed) bytes")
print("\(statistics.hitRatio) hits, \(statistics.pressureRemovals) left for want of memory")
