import Dispatch
import TestSupport
import Testing

@testable import ResourceManager

// Safety: a thread makes it, and another one only drops it.
private final class Session: @unchecked Sendable {
    private var controller: ViewController?
    private var registration: Registration?
    private let isDropped: DispatchSemaphore

    init(_ controller: ViewController, _ registration: Registration, _ isDropped: DispatchSemaphore) {
        self.controller = controller
        self.registration = registration
        self.isDropped = isDropped
    }

    deinit {
        controller = nil
        registration = nil
        isDropped.signal()
    }
}

@Suite(.onTwoThreads)
struct TeardownTests {
    let stage = Stage()

    @Test("deinit sends neither appearance nor unload callbacks (6.4)")
    func deinitIsSilent() {
        var a: RecordingController? = stage.controller("A")
        _ = a?.view
        #expect(stage.events { a = nil } == ["A.deinit"])
    }

    @Test("a container is destroyed before the children that only it kept, which get no callbacks (6.5)")
    func containerGoesFirst() {
        var p: RecordingController? = stage.controller("P")
        var c: RecordingController? = stage.controller("C")
        if let p, let c {
            p.addChild(c)
            p.view.addSubview(c.view)
        }
        c = nil
        #expect(stage.events { p = nil } == ["P.deinit", "C.deinit"])
    }

    @Test("a child outlives its container without a parent")
    func childOutlivesContainer() {
        var p: RecordingController? = stage.controller("P")
        let c = stage.controller("C")
        p?.addChild(c)
        p = nil
        #expect(c.parent == nil)
    }

    @Test("no container gets the address of a destroyed one that a former child still refers to")
    func sameAddress() {
        let c = stage.controller("C")
        for _ in 0..<100 {
            var p: ViewController? = ViewController(host: stage.host)
            p?.addChild(c)
            let old = p.map(ObjectIdentifier.init)
            p = nil
            let q = ViewController(host: stage.host)
            #expect(ObjectIdentifier(q) != old)
            q.addChild(c)
            #expect(c.parent === q && q.children.count == 1)
            c.removeFromParent()
        }
    }

    @Test("the last reference to a responder may be dropped on another thread while this one looks for it")
    func endsElsewhere() {
        var found = 0
        for _ in 0..<2_000 {
            // Safety: one thread only drops it, and the other one only reads the reference that does not keep it alive.
            nonisolated(unsafe) var responder: Responder? = Responder()
            nonisolated(unsafe) let reference = Weak(wrappedValue: responder)
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 { responder = nil } else { for _ in 0..<10 { _ = reference.wrappedValue?.next } }
            }
            if reference.wrappedValue != nil { found += 1 }
        }
        #expect(found == 0)
    }

    /// Holds the last references to a controller with work under way and to a registration.
    private func session(_ calls: Counter, _ isDropped: DispatchSemaphore) -> Session {
        let controller = ViewController(host: stage.host)
        controller.loadViewIfNeeded()
        controller.load({ 1 }, then: { _ in calls.increment() })
        return Session(controller, stage.host.onMemoryWarning { _ in calls.increment() }, isDropped)
    }

    private func drop(_ session: consuming Session) {
        DispatchQueue.global().async { [session] in withExtendedLifetime(session) {} }
    }

    @Test("a controller with work under way, and a registration, may end on another thread (2.17)")
    func sessionsEndElsewhere() {
        let calls = Counter()
        for round in 0..<500 {
            let isDropped = DispatchSemaphore(value: 0)
            drop(session(calls, isDropped))
            stage.host.receiveLoads()
            if round.isMultiple(of: 10) { stage.host.simulateMemoryWarning() }
            isDropped.wait()
        }
        stage.host.receiveLoads()
        #expect(stage.host.loading.isEmpty)
        #expect(stage.host.observers(of: MemoryWarning.self).isEmpty)
    }

    @Test("a child that the deinit of its container gives to another one stays there")
    func givenAwayInDeinit() {
        let heir = NavigationController(host: stage.host, viewControllers: [stage.controller("A")])
        let c = stage.controller("C")
        var dying: ControllerWithLastWords? = ControllerWithLastWords(host: stage.host)
        dying?.addChild(c)
        dying?.lastWords = { heir.push(c) }
        dying = nil
        #expect(heir.topViewController === c)
        #expect(heir.pop() === c)
        #expect(c.parent == nil && heir.children.count == 1)
    }

    @Test("a stack whose deinit empties it tells its controllers nothing (6.5)")
    func emptiedInDeinit() {
        final class Emptying: NavigationController {
            deinit { setViewControllers([]) }
        }
        let c = stage.controller("C")
        var stack: Emptying? = Emptying(host: stage.host, viewControllers: [c])
        #expect(stack?.viewControllers.count == 1)
        #expect(stage.events { stack = nil }.isEmpty)
        #expect(c.parent == nil)
    }

    @Test("a view that the deinit of its superview puts into another one stays there")
    func movedInDeinit() {
        let heir = View()
        let inner = View()
        var dying: ViewWithLastWords? = ViewWithLastWords()
        dying?.addSubview(inner)
        dying?.lastWords = { heir.addSubview(inner) }
        dying = nil
        heir.budget = Budget(bytes: 100)
        let window = stage.window()
        window.addSubview(heir)
        #expect(inner.superview === heir && heir.subviews.count == 1)
        #expect(inner.budget == window.budget)
        inner.removeFromSuperview()
        #expect(heir.subviews.isEmpty)
    }

    @Test("the host keeps no controller alive, and destroyed ones get no warning (6.1, 6.6)")
    func hostKeepsNobody() {
        let a = stage.controller("A")
        var b: RecordingController? = stage.controller("B")
        _ = b?.view
        #expect(stage.events { b = nil } == ["B.deinit"])
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
        #expect(a.children.isEmpty)
    }

    @Test("a window keeps its root, but only the view of a controller whose view the program adds (5.33)")
    func windowKeepsViewOnly() {
        var a: RecordingController? = stage.controller("A")
        var x: RecordingController? = stage.controller("X")
        let window = stage.window(showing: a)
        if let x { window.addSubview(x.view) }
        a = nil
        #expect(stage.events { x = nil } == ["X.deinit"])
        #expect(window.subviews.count == 2)
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
    }

    @Test("a removed child that only its parent kept is destroyed at the end of the call (6.2, 5.4)")
    func removedChildIsGone() {
        let p = stage.controller("P")
        var c: RecordingController? = stage.controller("C")
        weak let gone = c
        let window = stage.window(showing: p)
        if let c {
            p.addChild(c)
            p.view.addSubview(c.view)
        }
        c = nil
        #expect(
            stage.events {
                gone?.willMove(toParent: nil)
                gone?.view.removeFromSuperview()
                gone?.removeFromParent()
            } == ["C.willMove(nil)", "C.viewWillDisappear", "C.viewDidDisappear", "C.didMove(nil)", "C.deinit"]
        )
        #expect(window.isVisible)
    }

    @Test("a whole tree of controllers leaks nothing")
    func noLeaks() {
        weak var host: ControllerHost?
        weak var root: RecordingController?
        weak var view: View?
        weak var window: Window?
        do {
            let stage = Stage()
            let p = stage.controller("P")
            let c = stage.controller("C")
            p.addChild(c)
            p.view.addSubview(c.view)
            let shown = stage.window(showing: p)
            let registration = stage.host.onMemoryWarning { _ in }
            _ = stage.warn()
            (host, root, view, window) = (stage.host, p, c.view, shown)
            registration.cancel()
            #expect(host != nil && root != nil && view != nil && window != nil)
        }
        #expect(host == nil)
        #expect(root == nil)
        #expect(view == nil)
        #expect(window == nil)
    }

    @Test("another window can show the controllers of a destroyed window")
    func windowGoesAway() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        p.view.addSubview(c.view)
        #expect(stage.events { _ = stage.window(showing: p) }.isEmpty)
        #expect(p.view.superview == nil)
        let window = Window(host: stage.host)
        window.rootViewController = p
        #expect(
            stage.events { window.makeVisible() } == [
                "P.viewWillAppear", "C.viewWillAppear", "P.viewDidAppear", "C.viewDidAppear",
            ]
        )
    }

    @Test("a controller that is taken out of a window during its destruction is out of service (5.41)")
    func takenFromDyingWindow() {
        let q = stage.controller("Q")
        let b = stage.controller("B")
        var window: Window? = stage.window(showing: stage.controller("P"))
        do {
            // The covered controller is released between the other two.
            let covered = ControllerWithLastWords(host: stage.host)
            covered.lastWords = { q.addChild(b) }
            window?.rootViewController?.present(covered, style: .fullScreen)
            covered.present(stage.controller("T"), style: .fullScreen)
        }
        window?.addSubview(b.view)
        window = nil
        #expect(b.parent === q)
        b.removeFromParent()
        let other = stage.window()
        #expect(stage.events { other.addSubview(b.view) } == ["B.viewWillAppear", "B.viewDidAppear"])
    }

    @Test("a destroyed window ends a presentation that was hidden before its controller was shown (5.41)")
    func hiddenBeforeThePresenteeIsShown() {
        let b = stage.controller("B")
        let y = stage.controller("Y")
        var window: Window? = stage.window()
        window?.addSubview(b.view)
        y.on["viewWillAppear"] = { [weak window] _ in window?.hide() }
        b.present(y, style: .fullScreen)
        window = nil
        #expect(y.presentingViewController == nil)
        let other = stage.window()
        #expect(stage.events { other.addSubview(b.view) } == ["B.viewWillAppear", "B.viewDidAppear"])
    }

    @Test("a view that was left in the view of a destroyed child leaves service with its window (5.41)")
    func leftInTheViewOfADestroyedChild() {
        let p = stage.controller("P")
        let d = stage.controller("D")
        var window: Window? = stage.window(showing: p)
        do {
            let c = stage.controller("C")
            p.addChild(c)
            p.view.addSubview(c.view)
            c.addChild(d)
            c.view.addSubview(d.view)
            c.removeFromParent()
        }
        #expect(d.view.window === window)
        window = nil
        let other = stage.window()
        #expect(stage.events { other.addSubview(d.view) } == ["D.viewWillAppear", "D.viewDidAppear"])
    }
}

private final class ControllerWithLastWords: ViewController {
    var lastWords: () -> Void = {}

    deinit { lastWords() }
}

private final class ViewWithLastWords: View {
    var lastWords: () -> Void = {}

    deinit { lastWords() }
}
