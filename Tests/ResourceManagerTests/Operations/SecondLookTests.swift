import Testing

@testable import ResourceManager

/// Steps that an operation skips because one of its callbacks has changed the wanted state (3.24).
@Suite(.onTwoThreads)
struct SecondLookTests {
    let stage = Stage()

    /// A controller P, and its child C, whose view lies in P's.
    private func parentAndChild() -> (RecordingController, RecordingController) {
        let (parent, child) = (stage.controller("P"), stage.controller("C"))
        parent.addChild(child)
        parent.view.addSubview(child.view)
        return (parent, child)
    }

    @Test("a view that a callback removes does not come into service with its window (3.24)")
    func takenOutOfWindowThatIsShown() {
        let b = stage.controller("B")
        let a = stage.controller("A", on: ["viewWillAppear": { _ in b.view.removeFromSuperview() }])
        let window = Window(host: stage.host)
        window.addSubview(a.view)
        window.addSubview(b.view)
        #expect(stage.events { window.makeVisible() } == ["A.viewWillAppear", "A.viewDidAppear"])
        #expect(stage.events { window.addSubview(b.view) } == ["B.viewWillAppear", "B.viewDidAppear"])
    }

    @Test("a controller whose view a callback releases as it appears disappears again (3.17)")
    func releasedAsItAppears() {
        let (root, sheet) = (stage.controller("R"), stage.controller("S"))
        for controller in [root, sheet] {
            controller.loadViewIfNeeded()
            controller.on["viewWillAppear"] = once { controller.view = nil }
        }
        func turns(_ name: String) -> [String] {
            ["viewWillAppear", "viewWillDisappear", "viewDidDisappear"].map { "\(name).\($0)" }
        }
        let window = stage.window()
        #expect(stage.events { window.rootViewController = root } == turns("R"))
        let base = stage.controller("B")
        window.rootViewController = base
        #expect(stage.events { base.present(sheet) }.filter { $0.hasPrefix("S") } == turns("S"))
        #expect([root, sheet].allSatisfy { !$0.isViewLoaded && $0.appearance.phase == .disappeared })
    }

    @Test("a container shows the view that its child loads instead of the one it releases as both appear (3.4, 5.11)")
    func loadedAnewAsContainerAppears() {
        let child = stage.controller("C")
        let stack = NavigationController(host: stage.host, viewControllers: [child])
        child.on["viewWillAppear"] = once {
            child.view = nil
            child.loadViewIfNeeded()
        }
        let window = stage.window()
        #expect(
            stage.events { window.rootViewController = stack } == [
                "C.loadView", "C.viewDidLoad", "C.viewWillAppear", "C.loadView", "C.viewDidLoad", "C.viewDidAppear",
            ]
        )
        #expect(child.viewIfLoaded?.superview === stack.view && child.viewIfLoaded?.window === window)
    }

    @Test("a move of the view off window leaves a transition of the program alone (2.12)")
    func movedInATransitionOfTheProgram() {
        let a = stage.controller("A")
        let box = View()
        a.loadViewIfNeeded()
        _ = stage.trace.take()
        #expect(stage.events { a.beginAppearanceTransition(true) } == ["A.viewWillAppear"])
        #expect(stage.events { box.addSubview(a.view) } == [])
        #expect(stage.events { a.view.removeFromSuperview() } == [])
        #expect(stage.events { a.endAppearanceTransition() } == ["A.viewDidAppear"])
    }

    @Test("a transition that a did-callback begins again is not ended in the children (3.17, 3.19)")
    func begunAnewInDid() {
        let (p, _) = parentAndChild()
        p.on["viewDidAppear"] = { $0.beginAppearanceTransition(false) }
        #expect(
            stage.events {
                p.beginAppearanceTransition(true)
                p.endAppearanceTransition()
            } == [
                "P.viewWillAppear", "C.viewWillAppear", "P.viewDidAppear", "P.viewWillDisappear",
                "C.viewWillDisappear",
            ]
        )
        #expect(stage.events { p.endAppearanceTransition() } == ["P.viewDidDisappear", "C.viewDidDisappear"])
    }

    @Test("a child that leaves before its container is on window never appears (3.17, 5.10)")
    func leavesBeforeWindow() {
        let (p, c) = parentAndChild()
        let window = stage.window()
        c.on["viewWillAppear"] = once { c.removeFromParent() }
        #expect(
            stage.events { window.rootViewController = p }.filter { $0.hasPrefix("C") } == [
                "C.viewWillAppear", "C.viewWillDisappear", "C.viewDidDisappear", "C.didMove(nil)",
            ]
        )
    }

    @Test("a container is not prepared any more when its sibling's callback has hidden the window (2.15, 3.17)")
    func hiddenBeforeSibling() {
        let (p, c) = parentAndChild()
        let selected = stage.controller("S")
        let tabs = TabController(host: stage.host, viewControllers: [selected])
        p.addChild(tabs)
        p.view.addSubview(tabs.view)
        let window = Window(host: stage.host)
        window.rootViewController = p
        c.on["viewWillAppear"] = once { [unowned window] in window.hide() }
        window.makeVisible()
        #expect(!window.isVisible && tabs.isViewLoaded && !selected.isViewLoaded)
    }

    /// A container off window with two views of children: of one, and of a stack with a top.
    private func container(
        on stage: Stage
    ) -> (container: RecordingController, child: RecordingController, top: RecordingController) {
        let (p, c, top) = (stage.controller("P"), stage.controller("C"), stage.controller("T"))
        let stack = NavigationController(host: stage.host, viewControllers: [top])
        for child in [stack, c] {
            p.addChild(child)
            p.view.addSubview(child.view)
        }
        return (p, c, top)
    }

    @Test("a child that releases its view as its container is about to appear is loaded again (4.14, 5.14)")
    func releasedAsContainerAppears() {
        let stage = Stage(policy: .keep)
        let (p, c, top) = container(on: stage)
        let window = stage.window()
        for child in [c, top] { child.loadViewIfNeeded() }
        p.on["viewWillAppear"] = once { for child in [c, top] { child.view = nil } }
        window.rootViewController = p
        #expect(c.appearance.phase == .appeared && c.viewIfLoaded?.window === window)
        #expect(top.appearance.phase == .appeared && top.viewIfLoaded?.window === window)
    }

    @Test("a child that releases its view in its own viewWillAppear disappears again, and returns later (3.17, 5.14)")
    func childReleasedAsItAppears() {
        let stage = Stage(policy: .keep)
        let (p, c, top) = container(on: stage)
        let window = stage.window()
        for child in [c, top] { child.on["viewWillAppear"] = once { child.view = nil } }
        let events = stage.events { window.rootViewController = p }
        for name in ["C", "T"] {
            #expect(
                events.filter { $0.hasPrefix(name) && !$0.contains("oad") } == [
                    "\(name).viewWillAppear", "\(name).viewWillDisappear", "\(name).viewDidDisappear",
                ]
            )
        }
        window.hide()
        window.makeVisible()
        for child in [c, top] { #expect(child.appearance.phase == .appeared && child.view.window === window) }
    }

    @Test("the children of a container that drops its view as it is about to appear receive no callback (3.24)")
    func droppedAsItAppears() {
        let (p, c) = (stage.controller("P"), stage.controller("C"))
        p.addChild(c)
        p.view.addSubview(c.view)
        let window = stage.window()
        p.on["viewWillAppear"] = once { p.view = nil }
        #expect(
            stage.events { window.rootViewController = p } == [
                "P.viewWillAppear", "P.viewWillDisappear", "P.viewDidDisappear",
            ]
        )
        #expect(c.viewIfLoaded?.window == nil)
    }

    @Test("a tab that is selected while its set leaves, and comes on window again, has the set's budget (5.13)")
    func selectedWhileLeaving() {
        for isLoaded in [false, true] {
            let (a, b) = (stage.controller("A"), stage.controller("B"))
            let leaving = LeavingTabs(host: stage.host, viewControllers: [a, b])
            let window = stage.window()
            window.resize(to: Budget(bytes: 100))
            window.rootViewController = leaving
            if isLoaded { (leaving.selectedIndex, leaving.selectedIndex) = (1, 0) }
            window.resize(to: Budget(bytes: 400))
            leaving.whenLeaving = { [unowned leaving, unowned window] in
                leaving.whenLeaving = {}
                leaving.selectedIndex = 1
                window.makeVisible()
            }
            window.hide()
            #expect(b.view.window === window && b.view.budget.bytes == 400)
        }
    }

    @Test("a move in the layout that a new view causes is the later wish (3.24)")
    func movedInLayoutOfNewView() {
        let c = stage.controller("C")
        c.recordsLayout = true
        let window = stage.window()
        let place = View()
        window.addSubview(c.view)
        c.on["viewWillDisappear"] = { c in
            c.on = ["viewDidLayoutSubviews": once { place.addSubview(c.view) }]
            c.view = View()
        }
        c.view.removeFromSuperview()
        #expect(c.view.superview === place && c.appearance.phase == .disappeared)
    }

    @Test("children whose loads make each other the shown one do so a limited number of times (3.25)")
    func shownByTurns() {
        let turning = Turning(host: stage.host)
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        for child in [a, b] { turning.addChild(child) }
        turning.shown = a
        var loads = 0
        for (child, other) in [(a, b), (b, a)] {
            child.on["viewDidLoad"] = { [unowned turning, unowned other] _ in
                loads += 1
                turning.shown = other
                other.view = nil
            }
        }
        let window = stage.window(showing: turning)
        #expect(turning.view.window === window && loads < 100)
    }

    @Test("off window, a child that its load gives to another parent stays out of the first one's view (3.24, 5.7)")
    func givenAwayWhileLoading() {
        let (p, c) = parentAndChild()
        let (d, other) = (stage.controller("D"), stage.controller("M"))
        p.addChild(d)
        d.on["viewDidLoad"] = { other.addChild($0) }
        #expect(stage.events { p.transition(from: c, to: d) }.last == "fault:hierarchyInconsistency")
        #expect(d.parent === other && d.isViewLoaded && d.view.superview == nil)
    }

    @Test("a child that leaves while it loads is not put into the container's view (2.15)")
    func leavesWhileLoading() {
        let a = stage.controller("A")
        a.on["viewDidLoad"] = { $0.removeFromParent() }
        let stack = NavigationController(host: stage.host, viewControllers: [a])
        let window = stage.window(showing: stack)
        #expect(a.isViewLoaded && a.view.superview == nil)
        #expect(stack.view.window === window && stack.view.subviews.isEmpty)
    }

    @Test("a child that returns with its container appears, although its load has shown the container (3.24, 5.14)")
    func containerShownByReload() {
        let (p, c) = parentAndChild()
        let window = stage.window(showing: p)
        window.hide()
        c.releaseViewIfOffWindow()
        let other = stage.controller("O")
        c.on["viewDidLoad"] = once {
            window.rootViewController = other
            window.rootViewController = p
        }
        #expect(
            stage.events { window.makeVisible() }.filter { $0.hasPrefix("C.view") } == [
                "C.viewDidLoad", "C.viewWillAppear", "C.viewDidAppear",
            ]
        )
        #expect(c.view.window === window && c.appearance.phase == .appeared)
    }

    @Test("a child that viewDidUnload puts into the container's new view keeps its own view (4.27, 5.12)")
    func putIntoTheNewView() {
        let (p, c) = parentAndChild()
        let kept: View = c.view
        p.on["viewDidUnload"] = { [unowned kept] in $0.view.addSubview(kept) }
        #expect(stage.warn().filter { $0.hasSuffix("viewDidUnload") } == ["P.viewDidUnload"])
        #expect(c.viewIfLoaded === kept && kept.superview === p.view)
    }

    @Test("children of a view that is released in service leave service with it, without callbacks")
    func droppedInService() {
        let (p, c) = parentAndChild()
        let window = stage.window(showing: p)
        #expect(stage.events { p.view = nil }.isEmpty)
        #expect(c.appearance.phase == .disappeared)
        #expect(window.isVisible)
    }

    @Test("a presentation that viewDidLoad of the presented controller cancels ends there (5.23)")
    func dismissedWhileLoading() {
        let a = stage.controller("A")
        let b = stage.controller("B", on: ["viewDidLoad": { _ in a.dismiss() }])
        let window = stage.window(showing: a)
        #expect(stage.events { a.present(b) } == ["B.loadView", "B.viewDidLoad"])
        #expect(a.view.window === window && b.view.superview == nil)
    }

    @Test("a presentation over a dismissed one, made by a callback of the dismissal, is dismissed too (5.28)")
    func presentedWhileDismissed() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let (c, d) = (stage.controller("C"), stage.controller("D"))
        let window = stage.window(showing: a)
        a.present(b, style: .overlay)
        b.present(c, style: .overlay)
        c.on["viewWillDisappear"] = once {
            b.dismiss()
            b.present(d, style: .overlay)
        }
        a.dismiss()
        #expect(a.presentedViewController == nil && b.presentedViewController == nil)
        #expect(d.presentingViewController == nil && d.viewIfLoaded?.window == nil)
        #expect(window.subviews.count == 1)
    }

    @Test("a presentation that the last callback of a dismissed controller makes is dismissed as well (5.28)")
    func presentedInLastCallback() {
        let (a, b, c) = (stage.controller("A"), stage.controller("B"), stage.controller("C"))
        let window = stage.window(showing: a)
        a.present(b, style: .overlay)
        b.on["viewWillDisappear"] = once { b.present(c, style: .overlay) }
        a.dismiss()
        #expect(b.presentedViewController == nil && c.presentingViewController == nil)
        #expect(window.subviews.count == 1)
    }

    @Test("a selected tab is the only one in service when its callback hides the window and shows it again (5.21)")
    func hiddenWhileSelected() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        let window = stage.window(showing: tabs)
        b.on["viewWillAppear"] = once { [unowned window] in
            window.hide()
            window.makeVisible()
        }
        tabs.selectedIndex = 1
        #expect(a.appearance.phase == .disappeared && a.view.superview == nil)
        #expect(b.appearance.phase == .appeared && b.view.window === window)
    }

    @Test("a will-callback that puts the new superview into the moving view closes no ring (5.42)")
    func placeTurnedOver() {
        let window = stage.window()
        let place = View()
        window.addSubview(place)
        let c = stage.controller("C")
        let view: View = c.view
        c.on["viewWillAppear"] = { [unowned view] _ in view.addSubview(place) }
        #expect(
            stage.events { place.addSubview(view) } == [
                "C.viewWillAppear", "C.viewWillDisappear", "C.viewDidDisappear",
            ]
        )
        #expect(place.superview === view && view.superview == nil)
    }

    @Test("later layers are not loaded once a callback has hidden the window again")
    func hiddenWhileShown() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let window = stage.window(showing: a)
        a.present(b, style: .overlay)
        window.hide()
        _ = stage.warn()
        a.on["viewWillAppear"] = once { [unowned window] in window.hide() }
        window.makeVisible()
        #expect(!window.isVisible && a.isViewLoaded && !b.isViewLoaded)
    }

    @Test("the window is hidden when views that the program added have disappeared")
    func hiddenInDid() {
        let a = stage.controller("A")
        let window = stage.window()
        window.addSubview(a.view)
        var isOnWindow: Bool?
        a.on["viewDidDisappear"] = { isOnWindow = $0.viewIfLoaded?.window != nil }
        window.hide()
        #expect(isOnWindow == false)
    }

    @Test("a layer that a callback puts back into a hidden window is taken out again")
    func putBackWhileHidden() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let window = stage.window(showing: a)
        a.present(b, style: .overlay)
        b.on["viewDidDisappear"] = once { [unowned window] in window.addSubview(a.view) }
        window.hide()
        #expect(a.appearance.phase == .disappeared && b.appearance.phase == .disappeared)
        #expect(!window.isVisible)
    }

    @Test("a presented controller gets no budget and no backing if its callback hides the window (5.23)")
    func hiddenWhilePresented() {
        final class Backed: View {
            override func makeBacking() -> Any? { 1 }
        }
        let a = stage.controller("A")
        let b = stage.controller("B", loadView: .assigns)
        b.makesView = { Backed() }
        let window = stage.window(showing: a)
        window.resize(to: Budget(bytes: 9))
        b.on["viewWillAppear"] = once { [unowned window] in window.hide() }
        a.present(b, style: .overlay)
        #expect(!window.isVisible && b.appearance.phase == .disappeared)
        #expect(b.view.backing == nil && b.view.budget == .zero)
    }

    @Test("a childForAppearance whose load brings its container into service is shown in it (2.15, 3.24)")
    func childThatShowsItsContainer() {
        let box = FrontController("P", host: stage.host, trace: stage.trace)
        let child = stage.controller("C")
        box.addChild(child)
        box.front = child
        let window = Window(host: stage.host)
        window.rootViewController = box
        child.on["loadView"] = { [unowned window] _ in window.makeVisible() }
        child.loadViewIfNeeded()
        #expect(child.view.superview === box.view && child.view.window === window)
        #expect(child.appearance.phase == .appeared)
    }

    @Test("a child that is put into a container on its way out leaves service (5.10)")
    func putIntoAContainerThatLeaves() {
        let (base, sheet, other, child) = (
            stage.controller("A"), stage.controller("X"), stage.controller("B"), stage.controller("T")
        )
        let (window, second) = (stage.window(showing: base), stage.window(showing: other))
        other.addChild(child)
        other.view.addSubview(child.view)
        base.present(sheet)
        base.on["viewWillAppear"] = once {
            sheet.addChild(child)
            sheet.view.addSubview(child.view)
        }
        let events = stage.events { sheet.dismiss() }
        #expect(child.view.window == nil && child.appearance.phase == .disappeared)
        #expect(events.filter { $0.hasPrefix("T.view") } == ["T.viewWillDisappear", "T.viewDidDisappear"])
        #expect(stage.events { base.present(sheet) }.contains("T.viewDidAppear"))
        withExtendedLifetime((window, second)) {}
    }

    @Test("a view that moves out of a window that is being shown appears in its new window (5.8)")
    func movedBeforeItsTurn() {
        let (root, bare) = (stage.controller("R"), stage.controller("A"))
        let shown = stage.window()
        let window = Window(host: stage.host)
        window.rootViewController = root
        window.addSubview(bare.view)
        root.on["loadView"] = { [unowned shown] _ in shown.addSubview(bare.view) }
        window.makeVisible()
        #expect(bare.view.window === shown && bare.appearance.phase == .appeared)
        shown.hide()
        #expect(bare.appearance.phase == .disappeared)
    }

    @Test("a controller that its viewWillAppear makes a root elsewhere is not put in by the outer call (3.24)")
    func madeRootWhileItIsPutIn() {
        let (shown, hidden) = (stage.window(), Window(host: stage.host))
        let controller = stage.controller("A")
        controller.on["viewWillAppear"] = once { [unowned hidden] in hidden.rootViewController = controller }
        shown.addSubview(controller.view)
        #expect(controller.view.superview == nil && controller.appearance.phase == .disappeared)
        hidden.makeVisible()
        #expect(controller.view.window === hidden && controller.appearance.phase == .appeared)
    }

    @Test("a hidden window that is destroyed leaves a root in service whose view is in another window (5.41)")
    func destroyedWindowOfARootElsewhere() {
        let controller = stage.controller("A")
        let shown = stage.window()
        shown.addSubview(controller.view)
        var hidden: Window? = Window(host: stage.host)
        hidden?.rootViewController = controller
        #expect(stage.events { hidden = nil } == [])
        #expect(hidden == nil && controller.appearance.phase == .appeared)
        #expect(stage.events { shown.hide() } == ["A.viewWillDisappear", "A.viewDidDisappear"])
    }

    @Test("a canLoadViewAgain that brings the controller into service keeps its view", arguments: 1...4)
    func serviceFromCanLoadViewAgain(_ call: Int) {
        final class Asking: RecordingController {
            var calls = 0
            var act: (Int) -> Void = { _ in }
            override var canLoadViewAgain: Bool {
                calls += 1
                act(calls)
                return super.canLoadViewAgain
            }
        }
        let controller = Asking("A", host: stage.host, trace: stage.trace)
        let window = stage.window(showing: controller)
        window.hide()
        controller.act = { [unowned window] in if $0 == call { window.makeVisible() } }
        let events = stage.events { controller.didReceiveMemoryWarning() }
        #expect(controller.calls >= call || !window.isVisible)
        #expect(!window.isVisible || controller.viewIfLoaded?.window === window)
        #expect(!window.isVisible || !events.contains("A.viewDidUnload"))
    }

    @Test(
        "what a callback presents while its presenter leaves with a container is told of its end too (5.28)",
        arguments: [true, false]
    )
    func presentedWhileLeaving(_ isRoot: Bool) {
        let (outer, inner, base) = (stage.controller("O"), stage.controller("I"), stage.controller("B"))
        let sheet = SteppingController(host: stage.host)
        var steps: [String] = []
        sheet.at = { step, _ in steps.append("\(step)") }
        outer.addChild(inner)
        outer.view.addSubview(inner.view)
        let window = stage.window(showing: isRoot ? outer : base)
        if !isRoot { base.present(outer) }
        outer.on["viewWillDisappear"] = once { inner.present(sheet) }
        if isRoot { window.rootViewController = base } else { base.dismiss() }
        #expect(window.rootViewController === base && sheet.presentingViewController == nil)
        #expect(steps == ["willPresent", "didPresent", "willDismiss", "didDismiss"])
    }
}

private final class LeavingTabs: TabController {
    var whenLeaving: () -> Void = {}

    override func viewWillDisappear() { whenLeaving() }
}

/// A custom container whose shown child the test sets.
private final class Turning: ViewController {
    var shown: ViewController?

    override var childForAppearance: ViewController? { shown }
}

/// A container that shows one child, which is not the library's.
private final class FrontController: RecordingController {
    weak var front: ViewController?
    override var childForAppearance: ViewController? { front }
}
