import TestSupport
import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct WorkingSetControllerTests {
    private final class Time {
        var now = ContinuousClock.now
    }

    let stage = Stage()
    private let time = Time()

    private func set(limit: Int = .max, idleTime: Duration? = nil) -> WorkingSetController<String, RecordingController>
    {
        WorkingSetController(host: stage.host, limit: limit, idleTime: idleTime) { [time] in time.now }
    }

    private func shown(
        limit: Int = .max,
        idleTime: Duration? = nil
    )
        -> (set: WorkingSetController<String, RecordingController>, window: Window)
    {
        let set = set(limit: limit, idleTime: idleTime)
        return (set, stage.window(showing: set))
    }

    @discardableResult
    private func use(_ name: String, in set: WorkingSetController<String, RecordingController>) -> RecordingController {
        set.child(for: name) { stage.controller(name) }
    }

    @Test("a child that was released off window and has left the set's service does not come back with it (5.14, 5.43)")
    func releasedOffWindow() {
        let stage = Stage()
        let set = WorkingSetController<Int, RecordingController>(host: stage.host, limit: 1)
        let window = stage.window(showing: set)
        let a = set.child(for: 1) { stage.controller("A") }
        window.hide()
        a.releaseViewIfOffWindow()
        let b = set.child(for: 2) { stage.controller("B") }
        window.makeVisible()
        #expect(a.viewIfLoaded?.window == nil && b.view.window === window)
        #expect(set.view.subviews.count == 1)
    }

    @Test("a view that the program assigns to a working set gets a child's view at the child's next use (2.12, 5.43)")
    func assignedView() {
        let (set, window) = shown(limit: 2)
        let a = use("A", in: set)
        set.view = View()
        #expect(set.view.subviews.isEmpty && a.view.window == nil)
        #expect(stage.events { use("A", in: set) } == ["A.viewWillAppear", "A.viewDidAppear"])
        #expect(a.view.superview === set.view && a.view.window === window)
    }

    @Test("the least recently used child leaves service when another one needs its place")
    func limit() {
        let (set, window) = shown(limit: 2)
        use("A", in: set)
        use("B", in: set)
        use("A", in: set)
        let events = stage.events { use("C", in: set) }
        #expect(
            events.filter { $0.contains("Appear") || $0.contains("Disappear") } == [
                "B.viewWillDisappear", "B.viewDidDisappear", "C.viewWillAppear", "C.viewDidAppear",
            ]
        )
        #expect(set.childrenInService.map(\.name) == ["C", "A"])
        #expect(set.childIfPresent(for: "B")?.isViewLoaded == true)
        withExtendedLifetime(window) {}
    }

    @Test("a warning unloads only the children that are not in service; they are made again when used")
    func warning() {
        let (set, window) = shown(limit: 1)
        let first = use("A", in: set)
        use("B", in: set)
        #expect(stage.warn().contains("A.viewDidUnload"))
        #expect(set.childIfPresent(for: "A") == nil)
        #expect(first.parent == nil)
        #expect(set.childIfPresent(for: "B")?.isViewLoaded == true)
        #expect(use("A", in: set) !== first)
        #expect(set.childrenInService.map(\.name) == ["A"])
        withExtendedLifetime(window) {}
    }

    @Test("a child that has been idle leaves service at a warning, and is unloaded by it")
    func idle() {
        let (set, window) = shown(idleTime: .seconds(60))
        use("A", in: set)
        time.now += .seconds(59)
        use("B", in: set)
        #expect(!stage.warn().contains("A.viewDidUnload"))
        time.now += .seconds(1)
        let events = stage.warn()
        #expect(events.contains("A.viewDidDisappear"))
        #expect(events.contains("A.viewDidUnload"))
        #expect(set.childrenInService.map(\.name) == ["B"])
        withExtendedLifetime(window) {}
    }

    @Test("nothing happens to an idle child while memory is not short")
    func noWarning() {
        let (set, window) = shown(idleTime: .seconds(60))
        use("A", in: set)
        time.now += .seconds(3600)
        use("B", in: set)
        #expect(set.childrenInService.map(\.name) == ["B", "A"])
        withExtendedLifetime(window) {}
    }

    @Test("a child with saved state is kept, and gets it back")
    func savedState() {
        let set = WorkingSetController<String, Remembering>(host: stage.host, limit: 1)
        let window = stage.window(showing: set)
        let first = set.child(for: "A") { Remembering(host: stage.host) }
        first.position = 7
        _ = set.child(for: "B") { Remembering(host: stage.host) }
        stage.host.simulateMemoryWarning()
        #expect(!first.isViewLoaded)
        first.position = 0
        #expect(set.child(for: "A") { Remembering(host: stage.host) } === first)
        #expect(first.position == 7)
        withExtendedLifetime(window) {}
    }

    private final class Remembering: ViewController {
        var position = 0
        override func saveViewState(in state: inout Properties) { state["position"] = position }
        override func restoreViewState(from state: Properties) { position = state["position"] ?? 0 }
    }

    @Test("off window nothing is loaded; when the working set appears, its children do")
    func offWindow() {
        let set = set(limit: 2)
        for name in ["A", "B", "C"] { use(name, in: set) }
        #expect(set.children.allSatisfy { !$0.isViewLoaded })
        let window = stage.window(showing: set)
        #expect(
            set.children.compactMap { ($0 as? RecordingController)?.viewIfLoaded?.window == nil ? nil : $0.displayName }
                .count == 2
        )
        #expect(set.childrenInService.allSatisfy { $0.viewIfLoaded?.window === window })
        window.hide()
        stage.host.simulateMemoryWarning()
        #expect(set.children.allSatisfy { !$0.isViewLoaded })
        #expect(set.childrenInService.map(\.name) == ["C", "B"])
        window.makeVisible()
        #expect(set.childrenInService.allSatisfy { $0.viewIfLoaded?.window === window })
    }

    @Test("a child that is removed, or that another parent takes, is no longer a member")
    func removed() {
        let (set, window) = shown()
        let a = use("A", in: set)
        use("B", in: set)
        set.removeChild(for: "A")
        #expect(a.parent == nil)
        #expect(a.viewIfLoaded?.superview == nil)
        let other = stage.controller("other")
        if let b = set.childIfPresent(for: "B") { other.addChild(b) }
        #expect(set.childrenInService.isEmpty)
        withExtendedLifetime(window) {}
    }

    @Test("a callback of a child that leaves may use other children")
    func reentrant() {
        let (set, window) = shown(limit: 1)
        let a = use("A", in: set)
        a.on["viewDidDisappear"] = { a in
            a.on = [:]
            use("C", in: set)
        }
        use("B", in: set)
        #expect(set.childrenInService.map(\.name) == ["C"])
        #expect(set.childrenInService.allSatisfy { $0.viewIfLoaded?.window === window })
        #expect(set.childIfPresent(for: "B")?.viewIfLoaded?.window == nil)
    }
}

/// The bytes that a working set releases at a warning if its children have caches.
@Suite(.ownCaches)
struct WorkingSetCacheTests {
    private let stage = Stage(reclaimer: .current)

    private final class Page: View {
        override init() {
            super.init()
            cost = 1000
        }
    }

    private final class CachingController: ViewController {
        let cache = ResourceCache<Int, [UInt8]>("pages")
        override func loadView() { view = Page() }
    }

    private func cachingSet() -> WorkingSetController<String, CachingController> {
        let set = WorkingSetController<String, CachingController>(host: stage.host, limit: 1)
        for name in ["A", "B"] {
            let child = set.child(for: name) { CachingController(host: stage.host) }
            for key in 0..<10 { child.cache.insert([UInt8](repeating: 0, count: 1000), for: key, cost: 1000) }
        }
        return set
    }

    @Test("a cache in a resource counts as released with it, of a controller alone or in a working set (2.20)")
    func cacheInResource() {
        final class Holder: ViewController {
            lazy var pages = resource { _ in ResourceCache<Int, [UInt8]>("pages") }

            func fill() -> Self {
                for key in 0..<10 { pages().insert([UInt8](repeating: 0, count: 1000), for: key, cost: 1000) }
                return self
            }
        }
        let set = WorkingSetController<String, Holder>(host: stage.host, limit: 1)
        let window = stage.window(showing: set)
        for name in ["A", "B"] { _ = set.child(for: name) { Holder(host: stage.host) }.fill() }
        let alone = Holder(host: stage.host).fill()
        // The cache of the child in service keeps half.
        #expect(stage.host.simulateMemoryWarning().released == 10_000 + 10_000 + 5_000)
        #expect(!alone.pages.isLoaded && set.childIfPresent(for: "B")?.pages.isLoaded == true)
        withExtendedLifetime(window) {}
    }

    @Test("the cache of a child that a warning removes counts as released, without its values in use")
    func removedCache() {
        let set = cachingSet()
        let window = stage.window(showing: set)
        // Loads the view of the child that is not in service.
        _ = set.childIfPresent(for: "A")?.view
        let used = set.childIfPresent(for: "A")?.cache.value(for: 0)
        #expect(stage.host.simulateMemoryWarning(.critical).released == 1000 + 9000 + 9000)
        #expect(set.childIfPresent(for: "A") == nil)
        withExtendedLifetime((window, used)) {}
    }

    @Test(
        "other caches need not give the bytes of a removed child's cache, and a cache with another owner shrinks as usual"
    )
    func wantedBytes() {
        let set = cachingSet()
        let window = stage.window(showing: set)
        stage.host.deliver(MemoryWarning(level: .warning, bytesWanted: 10_000))
        #expect(set.childIfPresent(for: "B")?.cache.count == 10)
        let cache = set.childIfPresent(for: "B")?.cache
        _ = set.child(for: "C") { CachingController(host: stage.host) }
        #expect(stage.host.simulateMemoryWarning(.warning).released == 1000 + 5000)
        #expect(set.childIfPresent(for: "B") == nil)
        #expect(cache?.count == 5)
        withExtendedLifetime(window) {}
    }
}
