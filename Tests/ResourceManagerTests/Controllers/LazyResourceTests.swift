import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct LazyResourceTests {
    let stage = Stage()

    @Test("the loader runs at the first read and not at the second (2.16)")
    func loadsOnce() {
        let trace = Trace()
        let terms = Terms(trace)
        #expect(!terms.$words.isLoaded)
        #expect(terms.$words.ifLoaded == nil)
        #expect(trace.take().isEmpty)
        #expect(terms.words == ["word"])
        #expect(terms.words == ["word"])
        #expect(trace.take() == ["load"])
        #expect(terms.$words.isLoaded)
        #expect(terms.$words.ifLoaded == ["word"])
    }

    @Test("a dropped value is loaded again by the next read (2.16)")
    func dropAndLoadAgain() {
        let trace = Trace()
        let terms = Terms(trace)
        _ = terms.words
        #expect(terms.$words.drop())
        #expect(!terms.$words.drop())
        #expect(!terms.$words.isLoaded)
        #expect(terms.words == ["word"])
        #expect(trace.take() == ["load", "load"])
    }

    @Test("the initial value of a property is its loader (2.16)")
    func initialValue() {
        let unread = Numbers()
        #expect(!unread.$serial.isLoaded)
        let numbers = Numbers()
        let first = numbers.serial
        #expect(numbers.serial == first)
        numbers.$serial.drop()
        #expect(numbers.serial == first + 1)
    }

    @Test("a value that is nil counts as loaded (2.16)")
    func nothing() {
        let trace = Trace()
        let maybe = LazyResource<Int?> {
            trace.record("load")
            return nil
        }
        #expect(maybe.wrappedValue == nil)
        #expect(maybe.wrappedValue == nil)
        #expect(maybe.isLoaded)
        #expect(trace.take() == ["load"])
    }

    @Test("a controller drops its resource at a warning, off window only, and the next read loads it again (2.16)")
    func droppedByController() {
        let controller = IndexController(host: stage.host)
        let window = stage.window(showing: controller)
        _ = controller.words
        stage.host.simulateMemoryWarning()
        #expect(controller.$words.isLoaded)
        window.hide()
        stage.host.simulateMemoryWarning()
        #expect(!controller.$words.isLoaded)
        #expect(controller.words == ["word"])
    }

    @Test("an object that is not a controller drops its resource in an observer of the warning (4.26)")
    func droppedByObserver() {
        let terms = Terms(Trace())
        let registration = stage.host.onMemoryWarning { _ in terms.$words.drop() }
        _ = terms.words
        stage.host.simulateMemoryWarning()
        #expect(!terms.$words.isLoaded)
        registration.cancel()
    }

    @Test("a drop during a load does not affect the load (2.16)")
    func dropDuringLoad() {
        let box = Box()
        let resource = LazyResource { box.load() }
        box.load = {
            #expect(!resource.drop())
            return 7
        }
        #expect(resource.wrappedValue == 7)
        #expect(resource.isLoaded)
    }

    @Test("a dropped value is destroyed, and so is the resource with its owner")
    func leaksNothing() {
        final class Held {}
        weak var held: Held?
        weak var resource: LazyResource<Held>?
        do {
            let made = LazyResource { Held() }
            held = made.wrappedValue
            resource = made
            #expect(held != nil)
            made.drop()
            #expect(held == nil)
            held = made.wrappedValue
        }
        #expect(held == nil)
        #expect(resource == nil)
    }

    @Test("a loader that reads its own resource traps")
    func recursion() async {
        await #expect(processExitsWith: .failure) {
            let box = Box()
            let resource = LazyResource { box.load() }
            // The recursion ends by itself if nothing traps.
            var depth = 0
            box.load = {
                depth += 1
                return depth < 10 ? resource.wrappedValue : 0
            }
            _ = resource.wrappedValue
        }
    }

    @Test("a resource whose loader uses the controller is dropped at a warning off window, and its bytes count")
    func resourceOfController() {
        let stage = Stage()
        let controller = CountingController(host: stage.host)
        #expect(controller.count() == 1)
        #expect(controller.count() == 1)
        #expect(stage.host.simulateMemoryWarning().released == 100)
        #expect(controller.count() == 2)
        let window = stage.window(showing: controller)
        #expect(stage.host.simulateMemoryWarning().released == 0)
        #expect(controller.count() == 2)
        window.hide()
        #expect(stage.host.simulateMemoryWarning().released == 100)
    }

    @Test("a resource is part of the releasable bytes while its controller is off window (2.20)")
    func resourceIsReleasable() {
        let stage = Stage()
        let controller = CountingController(host: stage.host)
        #expect(stage.host.releasableBytes == 0, "it loads nothing")
        _ = controller.count()
        #expect(stage.host.releasableBytes == 100)
        let window = stage.window(showing: controller)
        #expect(stage.host.releasableBytes == 0)
        window.hide()
        stage.host.simulateMemoryWarning()
        #expect(stage.host.releasableBytes == 0)
    }

    @Test("a resource counts even if its warning removes the controller from its working set (2.20, 5.43)")
    func resourceOfRemovedController() {
        let stage = Stage()
        let set = WorkingSetController<Int, CountingController>(host: stage.host, limit: 1)
        let window = stage.window(showing: set)
        for key in 0..<2 { _ = set.child(for: key) { CountingController(host: stage.host) }.count() }
        #expect(stage.host.simulateMemoryWarning().released == 100)
        #expect(set.childIfPresent(for: 0) == nil)
        withExtendedLifetime(window) {}
    }

    @Test("a cost that ends the controller ends nothing else")
    func costEndsTheController() {
        let stage = Stage()
        let box = Box()
        var controller: CountingController? = CountingController(host: stage.host, box)
        _ = controller?.count()
        box.load = {
            controller = nil
            return 5
        }
        #expect(stage.host.simulateMemoryWarning().released == 5)
        #expect(controller == nil)
    }

    @Test("a resource does not keep its controller")
    func resourceIsNoCycle() {
        let stage = Stage()
        weak var gone: CountingController?
        do {
            let controller = CountingController(host: stage.host)
            _ = controller.count()
            gone = controller
        }
        #expect(gone == nil)
        stage.host.simulateMemoryWarning()
    }
}

private final class CountingController: ViewController {
    private var loads = 0
    private let box: Box
    private lazy var terms = resource {
        $0.load()
    } cost: { [box] _ in
        box.load()
    }

    init(host: ControllerHost, _ box: Box = Box(100)) {
        self.box = box
        super.init(host: host)
    }

    func count() -> Int { terms() }

    private func load() -> Int {
        loads += 1
        return loads
    }
}

private final class Box {
    var load: () -> Int

    init(_ value: Int = 0) {
        load = { value }
    }
}

private final class Terms {
    @LazyResource var words: [String]

    init(_ trace: Trace) {
        _words = LazyResource {
            trace.record("load")
            return ["word"]
        }
    }
}

private final class Numbers {
    private final class Serial {
        var last = 0
        func next() -> Int {
            last += 1
            return last
        }
    }

    @LazyResource var serial: Int

    init() {
        let serials = Serial()
        _serial = LazyResource(wrappedValue: serials.next())
    }
}

private final class IndexController: ViewController {
    @LazyResource var words: [String] = ["word"]

    override func didReceiveMemoryWarning() {
        super.didReceiveMemoryWarning()
        if viewIfLoaded?.window == nil { $words.drop() }
    }
}
