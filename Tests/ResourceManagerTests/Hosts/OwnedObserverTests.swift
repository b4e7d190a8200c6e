import MemoryPressure
import TestSupport
import Testing

@testable import ResourceManager

/// An actor with its own host, which registers in its initialiser, as in a typical program.
private actor Index {
    let host = ControllerHost("index")
    private(set) var warned = 0
    private(set) var levels: [PressureLevel] = []
    private var terms = 1000

    init() {
        host.onMemoryWarning(of: self) { owner, warning in owner.warned += 1 }
    }

    func prepare() {
        host.onLevelChange(of: self) { owner, level in owner.levels.append(level) }
        host.onMemoryRelease(of: self) { owner, warning in
            defer { owner.terms = 0 }
            return owner.terms
        }
    }

    /// The bytes that a warning released, and the number of warnings that the actor had received by then.
    func warn() -> (released: UInt64, warned: Int) {
        let release = host.simulateMemoryWarning()
        return (release.released, warned)
    }

    func deliver(_ level: PressureLevel) -> [PressureLevel] {
        host.deliver(MemoryWarning(level: level, isSimulated: false))
        return levels
    }
}

/// An actor that receives the calls of another actor's host.
private actor Listener: AsyncControllerHostDelegate {
    private(set) var heard: [String] = []
    let events = EventStream<String>()

    func hear(_ event: String) {
        heard.append(event)
        events.send(event)
    }

    func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) {
        hear("\(name) warned")
    }

    func controllerHost(_ name: String, didRelease release: MemoryRelease, for warning: MemoryWarning) {
        hear("\(name) released \(release.released)")
    }
}

@MainActor private final class Model {
    var warned = 0
    var levels: [PressureLevel] = []

    init(host: ControllerHost) {
        host.onMemoryWarning(of: self) { owner, warning in owner.warned += 1 }
        host.onLevelChange(of: self) { owner, level in owner.levels.append(level) }
    }
}

@Suite(.ownCaches)
struct OwnedObserverTests {
    @Test("an actor that warns its own host is called before the call returns, and its bytes count")
    func ownActor() async {
        let index = Index()
        await index.prepare()
        let warning = await index.warn()
        #expect(warning.warned == 1)
        #expect(warning.released == 1000)
        #expect(await index.deliver(.warning) == [.warning])
    }

    @Test("an actor's observers do not keep the actor")
    func noCycle() async {
        var index: Index? = Index()
        await index?.prepare()
        let reference = WeakReference(index)
        _ = await index?.warn()
        index = nil
        #expect(reference.object == nil)
    }

    @Test("a class of the host's global actor is called, but no longer after it is destroyed")
    @MainActor
    func globalActor() {
        let host = ControllerHost("model")
        var model: Model? = Model(host: host)
        host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        #expect(model?.warned == 1)
        #expect(model?.levels == [.warning])
        let reference = WeakReference(model)
        model = nil
        #expect(reference.object == nil)
        host.simulateMemoryWarning()
    }

    @Test("a delivery that does not block waits for other actors, and counts their bytes")
    @MainActor
    func otherActor() async {
        let host = ControllerHost("main")
        let listener = Listener()
        host.onMemoryRelease(of: listener) { listener, _ in
            listener.hear("asked")
            return 7
        }
        host.asyncDelegate = listener
        let release = await host.deliverWithoutBlocking(MemoryWarning(level: .warning))
        #expect(release.released == 7)
        #expect(await listener.heard == ["main warned", "asked", "main released 7"])
    }

    @Test("a delivery that blocks calls other actors, but does not wait for them")
    @MainActor
    func blocking() async {
        let host = ControllerHost("main")
        let listener = Listener()
        host.onMemoryWarning(of: listener) { listener, _ in listener.hear("warned") }
        #expect(host.simulateMemoryWarning().released == 0)
        #expect(await listener.events.next() == "warned")
    }

    @Test("if levels change while an actor is busy, it receives the newest level last")
    @MainActor
    func newest() async {
        let calls = ActorCalls<Int>()
        let listener = Listener()
        #expect(calls.begin(1))
        #expect(!calls.begin(2))
        #expect(!calls.begin(3))
        let released = await calls.perform(1) { value in
            await listener.hear("\(value)")
            return 1
        }
        #expect(released == 2)
        #expect(await listener.heard == ["1", "3"])
        #expect(calls.begin(4))
    }

    @Test("calls to a delegate that is stuck do not pile up: the newest warning and the newest outcome wait")
    @MainActor
    func stuckDelegate() async {
        let host = ControllerHost("main")
        let delegate = StuckDelegate()
        host.asyncDelegate = delegate
        _ = host.simulateMemoryWarning(.warning)
        // Two calls, both of which are stuck.
        let first = [await delegate.events.next(), await delegate.events.next()]
        #expect(Set(first) == ["warning", "released for warning"])
        for _ in 0..<3 { _ = host.simulateMemoryWarning(.critical) }
        delegate.release()
        let last = [await delegate.events.next(), await delegate.events.next()]
        #expect(Set(last) == ["critical", "released for critical"])
        // Whatever else waited would have come before this.
        delegate.events.send("end")
        #expect(await delegate.events.next() == "end")
    }

    @Test("many owners that are created and destroyed leave nothing behind")
    @MainActor
    func sweep() {
        let list = HandlerList<Int>()
        for _ in 0..<1000 {
            list.add(of: Listener()) { _ in }
        }
        #expect(list.count <= 32)
    }

    @Test("warnings and levels are sequences, which end with the host")
    @MainActor
    func sequences() async {
        var host: ControllerHost? = ControllerHost("main")
        var warnings = host?.memoryWarnings.makeAsyncIterator()
        var levels = host?.levels.makeAsyncIterator()
        #expect(await levels?.next() == .normal)
        host?.deliver(MemoryWarning(level: .warning, isSimulated: false))
        host?.deliver(MemoryWarning(level: .critical, isSimulated: false))
        #expect(await warnings?.next()?.level == .warning)
        #expect(await warnings?.next()?.level == .critical)
        #expect(await levels?.next() == .critical)
        host = nil
        #expect(await warnings?.next() == nil)
        #expect(await levels?.next() == nil)
    }
}

/// A delegate whose calls do not end before ``release()``.
private final class StuckDelegate: AsyncControllerHostDelegate {
    let events = EventStream<String>()
    private let warnings = AsyncStream<Never>.makeStream()
    private let outcomes = AsyncStream<Never>.makeStream()

    func release() {
        warnings.continuation.finish()
        outcomes.continuation.finish()
    }

    func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) async {
        events.send("\(warning.level)")
        for await _ in warnings.stream {}
    }

    func controllerHost(_ name: String, didRelease release: MemoryRelease, for warning: MemoryWarning) async {
        events.send("released for \(warning.level)")
        for await _ in outcomes.stream {}
    }
}

private struct WeakReference<Object: AnyObject> {
    weak var object: Object?

    init(_ object: Object?) {
        self.object = object
    }
}
