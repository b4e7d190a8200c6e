import Testing

@testable import ResourceManager

private final class Saving: RecordingController {
    var onSave: (() -> Void)?
    var onRestore: (() -> Void)?

    override func saveViewState(in state: inout Properties) {
        state["position"] = 1
        onSave?()
    }

    override func restoreViewState(from state: Properties) { onRestore?() }
}

/// Views that callbacks bring into service while the views are released, and warnings during a load.
@Suite(.onTwoThreads)
struct InterruptedUnloadTests {
    let stage = Stage()

    /// A stack in a window.
    ///
    /// Its lower controller is covered by another one that only the stack keeps.
    private func coveredStack() -> (NavigationController, below: Saving, Window) {
        let below = Saving("B", host: stage.host, trace: stage.trace)
        below.makesView = {
            let view = View()
            view.cost = 7
            return view
        }
        below.loadViewStyle = .assigns
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let window = stage.window(showing: stack)
        stack.push(stage.controller("T"))
        _ = stage.trace.take()
        return (stack, below, window)
    }

    private static let pop = [
        "T.willMove(nil)", "T.viewWillDisappear", "B.viewWillAppear", "T.viewDidDisappear", "B.viewDidAppear",
        "T.didMove(nil)", "T.deinit",
    ]

    @Test("an unload ends if viewWillUnload brings the view into service (4.9, 4.27)")
    func unloadPop() {
        let (stack, below, window) = coveredStack()
        below.on["viewWillUnload"] = { _ in stack.pop() }
        var isSaved = false
        below.onSave = { isSaved = true }
        #expect(
            stage.warn() == ["B.didReceiveMemoryWarning", "B.viewWillUnload"] + Self.pop
        )
        #expect(!isSaved)
        #expect(below.isViewLoaded && below.view.window === window)
        #expect(below.savedViewState == nil)
    }

    @Test("an unload ends if saveViewState brings the view into service, and nothing is saved (4.27)")
    func savePop() {
        let (stack, below, window) = coveredStack()
        below.onSave = { stack.pop() }
        let release = stage.host.simulateMemoryWarning()
        #expect(
            stage.trace.take() == ["B.didReceiveMemoryWarning", "B.viewWillUnload"] + Self.pop
        )
        #expect(release.released == 0)
        #expect(below.isViewLoaded && below.view.window === window)
        #expect(below.savedViewState == nil)
    }

    @Test("a view that saveViewState brings into service is not released by an explicit call either (4.27)")
    func releaseSave() {
        let (stack, below, window) = coveredStack()
        below.onSave = { stack.pop() }
        #expect(stage.events { below.releaseViewIfOffWindow() } == Self.pop)
        #expect(below.isViewLoaded && below.view.window === window)
        #expect(below.savedViewState == nil)
        #expect(stack.view.subviews.count == 1)
    }

    @Test("an unload sends no viewDidUnload if the deinit of the view has it loaded again (4.25, 4.27)")
    func loadedAgainInDeinit() {
        final class Parting: View {
            var onDeinit: () -> Void = {}
            deinit { onDeinit() }
        }
        let a = stage.controller("A", loadView: .assigns)
        var views = 0
        let window = stage.window()
        a.makesView = { [unowned window] in
            let view = Parting()
            view.cost = 7
            views += 1
            if views == 1 { view.onDeinit = { window.makeVisible() } }
            return view
        }
        window.rootViewController = a
        window.hide()
        _ = stage.trace.take()
        let release = stage.host.simulateMemoryWarning()
        #expect(
            stage.trace.take() == [
                "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.loadView", "A.viewDidLoad", "A.viewWillAppear",
                "A.viewDidAppear",
            ]
        )
        #expect(a.viewIfLoaded?.window === window && release.released == 7)
    }

    @Test("an unload that requests itself runs once (4.27)")
    func unloadInUnload() {
        let a = stage.controller("A")
        a.loadViewIfNeeded()
        a.on["viewWillUnload"] = { $0.didReceiveMemoryWarning() }
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.didReceiveMemoryWarning", "A.viewDidUnload",
            ]
        )
    }

    @Test("a warning while a view is restored does not unload it (2.18)")
    func warnInRestore() {
        let a = Saving("A", host: stage.host, trace: stage.trace)
        a.loadViewIfNeeded()
        stage.host.simulateMemoryWarning()
        #expect(!a.isViewLoaded)
        a.onRestore = { [host = stage.host] in host.simulateMemoryWarning() }
        let view: View? = a.view
        #expect(view != nil)
    }

    @Test("a warning in viewDidAppear, which has hidden the window, unloads nothing; the next one does (4.27)")
    func warnAsItAppears() {
        let a = stage.controller("A")
        let window = stage.window()
        window.rootViewController = a
        var isLoaded = false
        a.on["viewDidAppear"] = { [unowned window] controller in
            window.hide()
            controller.host.simulateMemoryWarning()
            isLoaded = controller.isViewLoaded
        }
        window.hide()
        window.makeVisible()
        #expect(isLoaded)
        #expect(stage.warn().contains("A.viewDidUnload"))
    }

    @Test("a warning while the child of a new root loads leaves the root loaded (2.18)")
    func warnInChildOfRoot() {
        let window = stage.window()
        let child = stage.controller("C", on: ["loadView": { $0.host.simulateMemoryWarning() }])
        let root = NavigationController(host: stage.host, viewControllers: [child])
        window.rootViewController = root
        #expect(root.isViewLoaded && root.view.window === window)
        #expect(child.view.window === window && window.subviews.count == 1)
    }

    @Test("a warning while the outgoing controller disappears does not unload the incoming one (4.24)")
    func warnInExchange() {
        let a = stage.controller("A", on: ["viewWillDisappear": { $0.host.simulateMemoryWarning() }])
        let b = stage.controller("B")
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        let window = stage.window(showing: tabs)
        #expect(
            stage.events { tabs.selectedIndex = 1 } == [
                "B.loadView", "B.viewDidLoad", "A.viewWillDisappear", "A.didReceiveMemoryWarning",
                "B.didReceiveMemoryWarning", "B.viewWillAppear", "A.viewDidDisappear", "B.viewDidAppear",
            ]
        )
        #expect(b.view.window === window)
    }
}
