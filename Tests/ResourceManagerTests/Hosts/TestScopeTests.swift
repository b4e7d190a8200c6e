import ResourceManager
import Synchronization
import Testing

// A service and its tests, as in the article on tests.

final class Gallery: Sendable {
    static let pageSize = 4096
    let pages: ResourceCache<Int, [UInt8]>

    init(pages: ResourceCache<Int, [UInt8]> = ResourceCache("pages", limit: 1 << 20)) {
        self.pages = pages
    }

    func page(_ number: Int) async throws -> [UInt8] {
        try await pages.load(number, cost: Self.pageSize) { _ in [UInt8](repeating: 0, count: Self.pageSize) }
    }
}

actor GalleryService {
    private let host: ControllerHost
    private let controller: ViewController

    init() {
        host = ControllerHost("gallery")
        controller = ViewController(host: host)
    }

    var isWarm: Bool { controller.isViewLoaded }

    func warm() { controller.loadViewIfNeeded() }

    func simulateMemoryWarning(_ level: PressureLevel) -> MemoryRelease {
        host.simulateMemoryWarning(level)
    }
}

final class News: Sendable {
    let headlines: ResourceCache<String, String>
    private let editions = Atomic(0)

    init() {
        var options = ResourceCache<String, String>.Options()
        options.refreshAfter = .seconds(300)
        headlines = ResourceCache("headlines", limit: 100, options: options)
    }

    func headline(of page: String) async throws -> String {
        try await headlines.load(page) { [self] _ in "edition \(editions.add(1, ordering: .relaxed).newValue)" }
    }
}

struct InScope: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await ResourceTesting.scope { _ in try await function() }
    }
}

struct TestScopeTests {
    @Test func givesBackWhatItHasShown() async throws {
        try await ResourceTesting.scope { scope in
            let gallery = Gallery()
            for number in 0..<10 { _ = try await gallery.page(number) }
            #expect(await scope.simulateMemoryWarning() == 5 * Gallery.pageSize)
            scope.advance(by: .seconds(30))
            #expect(try await gallery.page(0).count == Gallery.pageSize)
        }
    }

    @Test func hostsBelongToo() {
        ResourceTesting.scope { _ in
            let gallery = Gallery()
            gallery.pages.insert([1], for: 0, cost: 100)
            let host = ControllerHost("gallery")
            #expect(host.simulateMemoryWarning(.critical).released == 100)
            gallery.pages.insert([1], for: 0, cost: 100)
            #expect(host.deliver(MemoryWarning(level: .warning, bytesWanted: 40)).released == 100)
        }
    }

    @Test func changesItsLevel() {
        ResourceTesting.scope { _ in
            let host = ControllerHost("gallery")
            var levels: [PressureLevel] = []
            let handler = host.onLevelChange { levels.append($0) }
            host.deliver(MemoryWarning(level: .critical, isSimulated: false))
            #expect(host.level == .critical)
            host.deliver(MemoryWarning(level: .normal, isSimulated: false))
            #expect(levels == [.critical, .normal])
            withExtendedLifetime(handler) {}
        }
    }

    @Test func givesTheBytesThatAreWanted() async {
        await ResourceTesting.scope { scope in
            let gallery = Gallery()
            for number in 0..<10 { gallery.pages.insert([], for: number, cost: Gallery.pageSize) }
            let wanted = UInt64(3 * Gallery.pageSize)
            #expect(await scope.simulateMemoryWarning(bytesWanted: wanted) == wanted)
        }
    }
}

struct HostsInScopeTests {
    @Test("a simulation that repeats its level keeps a value loaded since, and a separate simulation drops it (2.16)")
    func repeatedSimulation() {
        ResourceTesting.scope { _ in
            let host = ControllerHost("gallery")
            let index = Reloadable("index", cost: \.count, load: { [UInt8](repeating: 0, count: 100) })
            let released = [false, true, false].map { isRepeat in
                _ = index.value()
                return host.deliver(MemoryWarning(level: .warning, isRepeat: isRepeat)).released
            }
            #expect(released == [100, 0, 100])
        }
    }

    @Test func releasesTheViewOfAnActor() async {
        await ResourceTesting.scope { _ in
            let service = GalleryService()
            await service.warm()
            _ = await service.simulateMemoryWarning(.critical)
            #expect(await !service.isWarm)
        }
    }

    @Test func idleChildrenLeave() {
        ResourceTesting.scope { _ in
            let host = ControllerHost("tenants")
            var time = ContinuousClock.now
            let set = WorkingSetController<String, ViewController>(host: host, idleTime: .seconds(60), now: { time })
            _ = set.child(for: "a") { ViewController(host: host) }
            time += .seconds(61)
            host.simulateMemoryWarning()
            #expect(set.childIfPresent(for: "a") == nil)
        }
    }
}

struct RefreshInScopeTests {
    @Test func refreshesInTheBackground() async throws {
        try await ResourceTesting.scope { scope in
            let news = News()
            #expect(try await news.headline(of: "front") == "edition 1")
            scope.advance(by: .seconds(300))
            #expect(try await news.headline(of: "front") == "edition 1")  // begins the refresh
            try await news.headlines.refresh("front") { _, _ in .unchanged() }  // waits for it
            #expect(try await news.headline(of: "front") == "edition 2")
        }
    }
}

struct AfterScopeTests {
    @Test("a host that outlives its scope warns the remaining caches, and later caches in the surrounding scope")
    func host() {
        ResourceTesting.scope { _ in
            let (host, inner) = ResourceTesting.scope { _ in (ControllerHost("left"), Gallery()) }
            let outer = Gallery()
            for gallery in [inner, outer] { gallery.pages.insert([1], for: 0, cost: 100) }
            #expect(host.simulateMemoryWarning(.critical).released == 200)
        }
    }

    @Test("a cache that outlives its scope is under the load limit of the surrounding scope")
    func limit() {
        ResourceTesting.scope { _ in
            LoadLimits.process.atOnce = 3
            ResourceTesting.scope { _ in LoadLimits.process.atOnce = 5 }
            #expect(LoadLimits.process.atOnce == 3)
        }
    }
}

@Suite(InScope())
struct GalleryTests {
    let gallery = Gallery()

    @Test func givesBackHalf() async throws {
        for number in 0..<10 { _ = try await gallery.page(number) }
        let scope = try #require(ResourceTesting.current)
        #expect(await scope.simulateMemoryWarning() == 5 * Gallery.pageSize)
        scope.advance(by: .seconds(30))
    }
}

@Suite(InScope())
struct SuiteInScopeTests {
    private let gallery = Gallery()

    @Test("a suite's stored properties are in its test's scope, which other warnings do not reach", arguments: 0..<20)
    func storedProperties(number: Int) async throws {
        for number in 0..<10 { _ = try await gallery.page(number) }
        await Task.yield()
        #expect(gallery.pages.count == 10)
        let release = ControllerHost("gallery").simulateMemoryWarning()
        #expect(release.released == 5 * UInt64(Gallery.pageSize))
    }
}
