import Foundation
import Testing

@testable import ResourceManager

/// Callbacks that call operations endlessly.
struct OperationBoundTests {
    /// Runs `body` on a thread with a stack of 512 KiB, and waits for it.
    private func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                body()
                continuation.resume()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    @Test("two controllers that endlessly dismiss and present each other are stopped (3.25)", .timeLimit(.minutes(1)))
    func presentingAndDismissing() async {
        await onSmallStack {
            let stage = Stage()
            let base = stage.controller("B")
            let sheet = stage.controller("S")
            let window = stage.window(showing: base)
            base.on["viewDidAppear"] = { $0.present(sheet) }
            sheet.on["viewDidAppear"] = { $0.dismiss() }
            let events = stage.events { base.present(sheet) }
            #expect(events.contains("fault:tooManyOperations"))
            #expect(window.subviews.count == 1)
            let shown: ViewController = base.presentedViewController ?? base
            #expect(shown.view.window === window)
            for controller in [base, sheet] {
                #expect(!controller.appearance.isUnderWay)
                #expect((controller.appearance.phase == .appeared) == (controller === shown))
            }
        }
    }

    @Test("an operation from a callback sixteen operations deep is refused, and changes nothing (3.25)")
    func depth() {
        let stage = Stage()
        var depth = 0
        let windows = (0..<20).map { _ in stage.window() }
        let roots = (0..<20).map { stage.controller("\($0)") }
        for (index, root) in roots.enumerated().dropLast() {
            root.on["viewWillAppear"] = { _ in
                depth = index + 1
                windows[index + 1].rootViewController = roots[index + 1]
            }
        }
        #expect(stage.events { windows[0].rootViewController = roots[0] }.filter { $0.contains("fault") }.count == 1)
        #expect(depth == 16)
        #expect(windows.map { $0.rootViewController != nil } == (0..<20).map { $0 < 16 })
        #expect(roots.prefix(16).allSatisfy { $0.view.window != nil && $0.appearance.phase == .appeared })
        #expect(!roots[16].isViewLoaded)
    }

    @Test("a window that is hidden takes out the views that each callback adds meanwhile, sixteen times (5.8)")
    func addedWhileHidden() {
        let stage = Stage()
        let window = stage.window()
        let controllers = (0..<40).map { _ in stage.controller("A") }
        var leaving = 0
        for controller in controllers {
            controller.on["viewWillDisappear"] = { [unowned window] _ in
                leaving += 1
                window.addSubview(controllers[leaving].view)
            }
        }
        window.addSubview(controllers[0].view)
        window.hide()
        #expect(leaving == 16 && !window.isVisible)
        #expect(controllers.prefix(16).allSatisfy { $0.appearance.phase == .disappeared })
    }

    @Test("each of the four appearance callbacks of a selection counts among the 1 000 steps of a call (3.25)")
    func stepsOfSelections() {
        let stage = Stage()
        let tabs = TabController(host: stage.host, viewControllers: [stage.controller("A"), stage.controller("B")])
        let window = stage.window(showing: tabs)
        (tabs.selectedIndex, tabs.selectedIndex) = (1, 0)
        let other = stage.window()
        var selections = 0
        let root = stage.controller("R")
        root.on["viewDidAppear"] = { _ in
            for _ in 0..<1000 {
                let before = tabs.selectedIndex
                tabs.selectedIndex = 1 - before
                if tabs.selectedIndex != before { selections += 1 }
            }
        }
        other.rootViewController = root
        #expect((245...250).contains(selections) && window.isVisible)
    }

    @Test("a veto of an environment that endlessly asks for another one is stopped (3.25)")
    func vetoes() {
        final class Fickle: RecordingController {
            weak var window: Window?
            var calls = 0
            override func supports(_ environment: Environment) -> Bool {
                calls += 1
                return window?.changeMode(to: environment.mode) ?? true
            }
        }
        let stage = Stage()
        let controller = Fickle("F", host: stage.host, trace: stage.trace)
        let window = stage.window(showing: controller)
        controller.window = window
        #expect(stage.events { window.changeMode(to: "night") }.contains("fault:tooManyOperations"))
        #expect(controller.calls == 16)
    }

    @Test("a controller that endlessly turns its own appearance round is stopped (3.25)")
    func turningRound() {
        let stage = Stage()
        let outer = stage.controller("O")
        outer.forwards = false
        let c = stage.controller("C")
        outer.addChild(c)
        var calls = 0
        func turn(_ isAppearing: Bool) -> (RecordingController) -> Void {
            { c in
                calls += 1
                guard calls < 100 else { return }
                c.beginAppearanceTransition(isAppearing)
                c.endAppearanceTransition()
            }
        }
        c.on = ["viewDidAppear": turn(false), "viewDidDisappear": turn(true)]
        let events = stage.events {
            c.beginAppearanceTransition(true)
            c.endAppearanceTransition()
        }
        #expect(calls < 100)
        #expect(events.contains("fault:tooManyOperations"))
    }

    @Test("each beginning of a transition is a step, whether it ends or not (3.25)")
    func halfTurns() {
        let stage = Stage()
        let outer = stage.controller("O")
        outer.forwards = false
        let child = stage.controller("C")
        outer.addChild(child)
        var rounds = 0
        let root = stage.controller("R")
        root.on["viewDidAppear"] = { _ in
            while rounds < 2_000, !stage.trace.events.contains("fault:tooManyOperations") {
                child.beginAppearanceTransition(rounds % 2 == 0)
                rounds += 1
            }
        }
        stage.window().rootViewController = root
        // The root's own callbacks are the other steps.
        #expect((990...1_000).contains(rounds))
    }

    @Test("a layout that changes the shares of its subviews each time comes to an end (3.25)", .timeLimit(.minutes(1)))
    func changingShares() {
        let stage = Stage()
        let window = stage.window()
        let view = CallingView()
        var layouts = 0
        view.call = { [unowned view] in
            layouts += 1
            let subview = View()
            subview.share = BudgetShare(bytes: .init(minimum: layouts))
            view.addSubview(subview)
            subview.removeFromSuperview()
        }
        window.addSubview(view)
        // Up to 17 in each other, which the end of the call repeats 16 times.
        #expect(layouts > 1 && layouts <= 17 * 17)
    }

    @Test("a call whose callbacks have taken a thousand steps begins nothing more, and ends its operations (3.25)")
    func steps() {
        let stage = Stage()
        let a = stage.controller("A")
        let b = stage.controller("B")
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        let window = stage.window()
        let root = stage.controller("R")
        var rounds = 0
        root.on["viewDidAppear"] = { [unowned window] _ in
            let other = Window(host: stage.host)
            other.rootViewController = tabs
            other.makeVisible()
            while rounds < 10_000, tabs.view.window != nil, !stage.trace.events.contains("fault:tooManyOperations") {
                tabs.selectedIndex = 1 - tabs.selectedIndex
                rounds += 1
            }
            #expect(window.rootViewController === root)
        }
        window.rootViewController = root
        #expect(rounds > 50 && rounds < 1_000)
        #expect(stage.trace.take().last == "fault:tooManyOperations")
        #expect(stage.events { tabs.selectedIndex = 1 - tabs.selectedIndex } != ["fault:tooManyOperations"])
    }

    @Test("layouts that call for layouts without end are stopped (3.25)", arguments: ["layout", "resize", "replace"])
    func layouts(_ call: String) async {
        await onSmallStack {
            let stage = Stage()
            let a = stage.controller("A", loadView: .assigns)
            let window = stage.window()
            var calls = 0
            func make() -> View {
                let view = CallingView()
                view.call = { [unowned view] in
                    calls += 1
                    guard calls < 100 else { return }
                    view.setNeedsLayout()
                    switch call {
                    case "resize": window.resize(to: Budget(bytes: calls))
                    case "replace": a.view = make()
                    default: view.layoutIfNeeded()
                    }
                }
                return view
            }
            a.makesView = make
            #expect(stage.events { window.rootViewController = a }.contains("fault:tooManyOperations"))
            #expect(calls == 16)
            #expect(a.view.window === window && window.subviews.count == 1)
        }
    }

    @Test("layouts that each call for two others are stopped after ten thousand (3.25)")
    func branchingLayouts() {
        let stage = Stage()
        let window = stage.window()
        let view = CallingView()
        var calls = 0
        view.call = { [unowned view, unowned window] in
            calls += 1
            for _ in 0..<2 {
                view.setNeedsLayout()
                window.layoutIfNeeded()
            }
        }
        #expect(stage.events { window.addSubview(view) }.contains("fault:tooManyOperations"))
        #expect(calls > 1_000 && calls <= 10_001)
    }

    @Test("the deepest trees appear and disappear on a stack of 512 KiB (5.42)")
    func deepTrees() async {
        await onSmallStack {
            let stage = Stage()
            var top: ViewController = stage.controller("C")
            for _ in 1..<256 { top = NavigationController(host: stage.host, viewControllers: [top]) }
            let window = stage.window(showing: top)
            window.changeMode(to: "other")
            window.hide()
            stage.host.simulateMemoryWarning()
            window.makeVisible()
            window.rootViewController = nil
            stage.host.simulateMemoryWarning()
            #expect(window.subviews.isEmpty)
        }
    }

    @Test("layouts in the deepest trees that call for layouts end before the stack does (3.25)")
    func nestedDeepLayouts() async {
        await onSmallStack {
            let stage = Stage()
            let leaf = stage.controller("C", loadView: .assigns)
            var top: ViewController = leaf
            for _ in 1..<256 { top = NavigationController(host: stage.host, viewControllers: [top]) }
            let window = stage.window()
            var calls = 0
            leaf.makesView = {
                let view = CallingView()
                view.call = { [unowned window] in
                    calls += 1
                    window.setTreeNeedsLayout()
                    window.resize(to: Budget(bytes: calls))
                }
                return view
            }
            #expect(stage.events { window.rootViewController = top }.contains("fault:tooManyOperations"))
            #expect(calls > 1 && calls < 16)
            #expect(leaf.view.window === window)
        }
    }

    @Test("a viewDidUnload that loads the view and passes the warning on keeps that view (4.27)")
    func unloadingAgain() {
        let stage = Stage()
        let c = stage.controller("C")
        c.loadViewIfNeeded()
        c.on["viewDidUnload"] = { c in
            c.loadViewIfNeeded()
            c.didReceiveMemoryWarning()
        }
        let events = stage.events { stage.host.simulateMemoryWarning() }
        #expect(events.filter { $0 == "C.viewDidUnload" }.count == 1)
        #expect(c.isViewLoaded)
    }

    @Test("controllers that unload each other in viewDidUnload come to an end (4.27)")
    func unloadingInTurn() {
        let stage = Stage()
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        for (one, other) in [(a, b), (b, a)] {
            one.loadViewIfNeeded()
            one.on["viewDidUnload"] = { _ in
                other.loadViewIfNeeded()
                other.didReceiveMemoryWarning()
            }
        }
        #expect(stage.events { a.didReceiveMemoryWarning() }.filter { $0.hasSuffix("viewDidUnload") }.count == 2)
    }
}
