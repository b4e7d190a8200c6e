import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct BackingTests {
    /// Records what happens to its backing.
    private final class BackedView: View {
        final class Backing {
            let trace: Trace
            init(_ trace: Trace) { self.trace = trace }
            deinit { trace.record("view.backingDiscarded") }
        }

        let trace: Trace
        private var hadBacking = false

        init(_ trace: Trace) {
            self.trace = trace
            super.init()
        }

        override func makeBacking() -> Any? {
            trace.record(hadBacking ? "view.backingRebuilt" : "view.backingCreated")
            hadBacking = true
            return Backing(trace)
        }

        override var backingCost: Int { 4096 }
    }

    private func backedController(_ stage: Stage) -> RecordingController {
        let a = stage.controller("A", loadView: .assigns)
        a.makesView = { BackedView(stage.trace) }
        return a
    }

    /// A view that acts when the library asks for the cost of its backing.
    private final class AskedView: View {
        var act: () -> Void = {}
        override func makeBacking() -> Any? { "backing" }
        override var backingCost: Int {
            act()
            return 8
        }
    }

    @Test("a view that comes on window when it is asked for its backing's cost keeps the backing (4.13)")
    func shownAsItCounts() {
        let stage = Stage(policy: .keep)
        let a = stage.controller("A", loadView: .assigns)
        let view = AskedView()
        a.makesView = { view }
        let window = stage.window(showing: a)
        window.hide()
        view.act = { window.makeVisible() }
        stage.host.simulateMemoryWarning()
        #expect(view.window === window && view.backing != nil)
    }

    @Test("a refused transition discards the backings of what its container took out when it was asked (4.13, 5.11)")
    func refusedTransition() {
        final class Hiding: ViewController {
            override var shouldAutomaticallyForwardAppearanceMethods: Bool {
                if children.isEmpty { servingWindow?.hide() }
                return true
            }
        }
        let stage = Stage(policy: .keep)
        let root = Hiding(host: stage.host)
        let child = backedController(stage)
        root.addChild(child)
        root.view.addSubview(child.view)
        let window = stage.window(showing: root)
        stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        #expect(child.view.backing != nil)
        child.removeFromParent()
        root.transition(from: child, to: child)
        #expect(!window.isVisible && child.view.backing == nil)
    }

    /// A view whose backing looks at the host and the view when it is destroyed.
    private final class ObservedView: View {
        private struct Seen { weak var view: ObservedView? }

        private final class Backing {
            let seen: Seen
            init(_ seen: Seen) { self.seen = seen }
            deinit {
                guard let view = seen.view else { return }
                view.isBackedAtTheEnd = view.backing != nil
                view.releasable = view.host?.releasableBytes
            }
        }

        weak var host: ControllerHost?
        private(set) var isBackedAtTheEnd: Bool?
        private(set) var releasable: UInt64?

        override func makeBacking() -> Any? { Backing(Seen(view: self)) }
    }

    @Test("a view that another view's backing takes out of the window gets none (4.13)")
    func takenOut() {
        final class Remover: View {
            weak var other: View?
            override func makeBacking() -> Any? {
                other?.removeFromSuperview()
                return 1
            }
        }
        let stage = Stage()
        let controller = stage.controller("A")
        let (remover, other) = (Remover(), BackedView(stage.trace))
        remover.other = other
        controller.view.addSubview(remover)
        controller.view.addSubview(other)
        withExtendedLifetime(stage.window(showing: controller)) {
            #expect(remover.backing != nil && other.backing == nil)
        }
    }

    @Test("a backing that is destroyed may use its view and the host (4.13)")
    func destruction() {
        let stage = Stage(policy: .keep)
        let a = stage.controller("A", loadView: .assigns)
        let view = ObservedView()
        view.host = stage.host
        a.makesView = { view }
        let window = stage.window(showing: a)
        window.hide()
        stage.host.simulateMemoryWarning()
        #expect(view.isBackedAtTheEnd == false && view.releasable != nil)
    }

    @Test(
        "a backing is made on window, and kept if no warning came (4.13)",
        arguments: [ReleasePolicy.unload, .keep]
    )
    func withoutWarning(policy: ReleasePolicy) {
        let stage = Stage(policy: policy)
        let a = backedController(stage)
        let window = stage.window()
        #expect(
            stage.events {
                window.rootViewController = a
                window.rootViewController = nil
                window.rootViewController = a
            } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "view.backingCreated", "A.viewDidAppear",
                "A.viewWillDisappear", "A.viewDidDisappear", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
    }

    @Test("off window a warning discards a backing after all controllers, and it is made again on window (4.12, 4.13)")
    func discardedAtWarning() {
        let stage = Stage(policy: .keep)
        let a = backedController(stage)
        let b = stage.controller("B")
        let window = stage.window(showing: a)
        window.rootViewController = b
        var release = MemoryRelease.none
        #expect(
            stage.events {
                release = stage.host.simulateMemoryWarning()
                window.rootViewController = a
            } == [
                "A.didReceiveMemoryWarning", "B.didReceiveMemoryWarning", "view.backingDiscarded",
                "B.viewWillDisappear", "B.viewDidDisappear", "A.viewWillAppear", "view.backingRebuilt",
                "A.viewDidAppear",
            ]
        )
        #expect(release.released == 4096)
    }

    @Test("the host lists a view once, however often its backing is made and discarded")
    func listedOnce() {
        let stage = Stage(policy: .keep)
        let window = stage.window(showing: backedController(stage))
        for _ in 0..<5 {
            window.hide()
            _ = stage.warn()
            #expect(stage.host.backedViews.count == 0)
            window.makeVisible()
            #expect(stage.host.backedViews.count == 1)
        }
    }

    @Test("on window a backing stays")
    func staysOnWindow() {
        let stage = Stage(policy: .keep)
        let a = backedController(stage)
        let window = stage.window(showing: a)
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
        #expect(a.view.backing != nil)
        #expect(window.isVisible)
    }

    @Test("a view that the program puts on window, or in the place of another view, gets its backing there")
    func madeWhereverOnWindow() {
        let stage = Stage()
        let a = stage.controller("A")
        let window = stage.window(showing: a)
        let inner = BackedView(stage.trace)
        #expect(stage.events { a.view.addSubview(inner) } == ["view.backingCreated"])
        let new = BackedView(stage.trace)
        #expect(stage.events { a.view = new } == ["view.backingCreated"])
        #expect(new.window === window)
    }

    @Test("while memory is short, a backing is discarded as soon as its view has left the window (4.13)")
    func discardedUnderPressure() {
        let stage = Stage(policy: .keep)
        let a = backedController(stage)
        let window = stage.window(showing: a)
        stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        #expect(a.view.backing != nil)
        #expect(
            stage.events { window.hide() } == [
                "A.viewWillDisappear", "A.viewDidDisappear", "view.backingDiscarded",
            ]
        )
        stage.host.deliver(MemoryWarning(level: .normal, isSimulated: false))
        window.makeVisible()
        #expect(stage.events { window.hide() } == ["A.viewWillDisappear", "A.viewDidDisappear"])
        #expect(a.view.backing != nil)
    }

    @Test("a backing is counted once, even if the program keeps its view (4.13)")
    func countedOnce() {
        let stage = Stage()
        let a = stage.controller("A")
        let view = SizedView()
        a.on["loadView"] = { $0.view = view }
        a.loadViewStyle = .assignsNothing
        let window = stage.window(showing: a)
        window.hide()
        #expect(stage.host.simulateMemoryWarning().released == 110)
        #expect(view.backing == nil && !a.isViewLoaded)
        window.makeVisible()
        window.hide()
        a.view = nil
        #expect(view.backing != nil)
        #expect(stage.host.simulateMemoryWarning().released == 100)
    }

    private final class SizedView: View {
        override init() {
            super.init()
            cost = 10
        }

        override var backingCost: Int { 100 }
        override func makeBacking() -> Any? { 1 }
    }

    @Test("while memory is short, no way of leaving a window keeps a backing (4.13)")
    func discardedHoweverItLeaves() {
        let stage = Stage(policy: .keep)
        stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        let ways: [(RecordingController, inout Window?) -> Void] = [
            { a, _ in a.view = nil },
            { a, _ in a.view = View() },
            { _, window in window = nil },
        ]
        for leave in ways {
            let a = backedController(stage)
            var window: Window? = stage.window(showing: a)
            let view: View = a.view
            #expect(view.backing != nil)
            leave(a, &window)
            #expect(view.window == nil && view.backing == nil)
        }
        let (a, window) = (backedController(stage), stage.window())
        var popover: Popover? = Popover(contentController: a)
        popover?.show(in: window)
        #expect(a.view.backing != nil)
        popover = nil
        #expect(a.view.window == nil && a.view.backing == nil)
    }
}
