import Testing

@testable import ControllerWalk
@testable import ResourceManager

/// Views that the program puts into a place, whose callbacks put them elsewhere.
@Suite(.onTwoThreads)
struct InterruptedPlacementTests {
    let stage = Stage()

    @Test("a view that is replaced as it appears is placed in its new form by the program and by containers (3.24)")
    func replacedAsItAppears() {
        let (p, a) = (stage.controller("P"), stage.controller("A"))
        p.addChild(a)
        let set = WorkingSetController<Int, RecordingController>(host: stage.host, limit: 1)
        let windows = [stage.window(showing: p), stage.window(showing: set)]
        let replace: (RecordingController) -> Void = { $0.view = View() }
        a.on["viewWillAppear"] = replace
        p.view.addSubview(a.view)
        #expect(a.view.superview === p.view && p.view.subviews.count == 1)
        let b = stage.controller("B", on: ["viewWillAppear": replace])
        #expect(
            stage.events { _ = set.child(for: 1) { b } }.filter { $0.hasSuffix("ppear") } == [
                "B.viewWillAppear", "B.viewDidAppear",
            ]
        )
        #expect(b.view.window === windows[1] && set.view.subviews.count == 1)
        #expect(stage.events { windows[1].hide() } == ["B.viewWillDisappear", "B.viewDidDisappear"])
        let c = stage.controller("C", on: ["viewWillAppear": { $0.view = nil }])
        p.addChild(c)
        p.view.addSubview(c.view)
        #expect(p.view.subviews.count == 1)
    }

    @Test("a warning that unloads the place that a view comes from does not keep it from its window (3.24)")
    func placeUnloadedMeanwhile() {
        let c = stage.controller("C", on: ["viewWillAppear": { [host = stage.host] _ in host.simulateMemoryWarning() }])
        let loose = stage.controller("X")
        let window = Window(host: stage.host)
        window.rootViewController = c
        loose.view.addSubview(c.view)
        #expect(
            stage.events { window.makeVisible() }.filter { $0.hasPrefix("C.view") && $0.hasSuffix("ppear") } == [
                "C.viewWillAppear", "C.viewDidAppear",
            ]
        )
        #expect(c.view.superview === window)
    }

    @Test("a view that a callback adds to a window that is being hidden leaves service with it (3.24)")
    func addedWhileHidden() {
        let window = stage.window()
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        window.addSubview(a.view)
        a.on["viewWillDisappear"] = { a in
            a.on = [:]
            window.addSubview(b.view)
        }
        #expect(
            stage.events { window.hide() }.filter { $0.hasPrefix("B.view") && $0.hasSuffix("ppear") } == [
                "B.viewWillAppear", "B.viewDidAppear", "B.viewWillDisappear", "B.viewDidDisappear",
            ]
        )
        let events = stage.events { window.makeVisible() }
        #expect(events.filter { $0.hasPrefix("B") } == ["B.viewWillAppear", "B.viewDidAppear"])
        #expect(b.appearance.phase == .appeared)
    }

    @Test("a view that a callback takes out of a window that is being hidden, and adds again, leaves service (3.24)")
    func addedAgainWhileHidden() {
        let window = stage.window()
        let a = stage.controller("A")
        window.addSubview(a.view)
        a.on["viewWillDisappear"] = { a in
            a.on = [:]
            a.view.removeFromSuperview()
            window.addSubview(a.view)
        }
        window.hide()
        #expect(a.appearance.phase == .disappeared)
        #expect(stage.events { window.makeVisible() } == ["A.viewWillAppear", "A.viewDidAppear"])
    }

    @Test("a transition from a child whose view lies outside of the container puts no view there (5.7)")
    func transitionFromOutside() {
        let window = stage.window()
        let (p, a, b) = (stage.controller("P"), stage.controller("A"), stage.controller("B"))
        window.addSubview(a.view)
        p.addChild(a)
        p.addChild(b)
        p.transition(from: a, to: b)
        #expect(!b.isViewLoaded || b.view.superview == nil)
        #expect(b.appearance.phase == .disappeared)
        #expect(window.subviews.allSatisfy { $0 === a.view })
    }

    @Test("a child that its own callback removes during a transition leaves the window (3.3, 5.11)")
    func removesItself() {
        let (p, a, b) = (stage.controller("P"), stage.controller("A"), stage.controller("B"))
        p.addChild(a)
        p.addChild(b)
        let window = stage.window(showing: p)
        p.view.addSubview(a.view)
        a.on["viewWillDisappear"] = { $0.removeFromParent() }
        p.transition(from: a, to: b)
        #expect(a.view.window == nil && b.view.window === window)
        a.on = ["viewDidDisappear": { [unowned b] _ in b.removeFromParent() }]
        a.on["viewWillDisappear"] = nil
        b.removeFromParent()
        b.view.removeFromSuperview()
        p.addChild(a)
        p.addChild(b)
        p.view.addSubview(a.view)
        p.transition(from: a, to: b)
        #expect(b.view.window == nil)
    }

    @Test("a child that leaves during a transition and is put elsewhere stays there (3.24)")
    func removedAndPutElsewhere() async {
        let (p, a, b) = (stage.controller("P"), stage.controller("A"), stage.controller("B"))
        p.addChild(a)
        p.addChild(b)
        let window = stage.window(showing: p)
        let elsewhere = View()
        p.view.addSubview(elsewhere)
        p.view.addSubview(a.view)
        await p.transition(
            from: a,
            to: b,
            drain: {
                a.removeFromParent()
                elsewhere.addSubview(a.view)
            }
        )
        #expect(a.view.superview === elsewhere && b.view.window === window)
    }

    @Test("a view that a callback replaces, places and takes out again stays out (3.24)")
    func replacedAndTakenOut() {
        let window = stage.window()
        let place = View()
        window.addSubview(place)
        let a = stage.controller("A")
        a.on["viewWillAppear"] = { a in
            a.on = [:]
            a.view = View()
            place.addSubview(a.view)
            a.view.removeFromSuperview()
        }
        window.addSubview(a.view)
        #expect(a.view.window == nil && a.appearance.phase == .disappeared)
    }

    @Test("a view that joins a tree off window has its budget when it comes into service (5.13)")
    func joinsOffWindow() {
        let window = Window(host: stage.host)
        window.resize(to: Budget(bytes: 1000))
        let (p, a, b) = (stage.controller("P"), stage.controller("A"), stage.controller("B"))
        let stack = NavigationController(host: stage.host, viewControllers: [a])
        p.addChild(stack)
        window.rootViewController = p
        window.makeVisible()
        p.view.addSubview(stack.view)
        window.hide()
        let (whole, shares) = (View(), [View(), View()])
        p.view.addSubview(whole)
        for view in shares {
            view.share = BudgetShare()
            p.view.addSubview(view)
        }
        stack.push(b)
        window.makeVisible()
        #expect([whole, b.view].map(\.?.budget.bytes) == [1000, 1000])
        #expect(shares.map(\.budget.bytes) == [500, 500])
    }

    @Test("the share of a view that leaves is divided when the call returns, however it leaves")
    func sharesOfLeavingViews() {
        let (p, c) = (stage.controller("P"), stage.controller("C"))
        p.addChild(c)
        let window = stage.window()
        window.resize(to: Budget(bytes: 1000))
        window.rootViewController = p
        let sibling = View()
        sibling.share = BudgetShare()
        p.view.addSubview(sibling)
        func shared() -> View {
            let view = View()
            view.share = BudgetShare()
            return view
        }
        for new in [nil, View()] {
            c.view = shared()
            p.view.addSubview(c.view)
            #expect(sibling.budget.bytes == 500)
            c.view = new
            #expect(sibling.budget.bytes == 1000)
        }
        let (moved, place) = (shared(), View())
        p.view.addSubview(moved)
        p.view.addSubview(place)
        c.view = View()
        place.addSubview(c.view)
        #expect(sibling.budget.bytes == 500)
        c.view = moved
        #expect(sibling.budget.bytes == 1000)
    }

    @Test("a layout pass ends where a callback takes views out of the window (3.3)")
    func takenOutDuringLayout() {
        let p = stage.controller("P")
        let b = stage.controller("B")
        p.addChild(b)
        let window = stage.window(showing: p)
        let first = LayoutView()
        p.view.addSubview(first)
        p.view.addSubview(b.view)
        p.view.layoutIfNeeded()
        first.onLayout = { b.view.removeFromSuperview() }
        first.setNeedsLayout()
        b.view.setNeedsLayout()
        #expect(stage.events { p.view.layoutIfNeeded() } == ["B.viewWillDisappear", "B.viewDidDisappear"])
        withExtendedLifetime(window) {}
    }

    private final class LayoutView: View {
        var onLayout: () -> Void = {}
        override func layoutSubviews() { onLayout() }
    }

    @Test("a view that a stack takes in a drain, while the program places it, appears in the stack (3.22, 3.24)")
    func takenInADrain() {
        let (container, below, new) = (stage.controller("C"), stage.controller("B"), stage.controller("N"))
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let window = stage.window(showing: container)
        for child in [stack, new] { container.addChild(child) }
        container.view.addSubview(stack.view)
        new.loadViewIfNeeded()
        let drains = Drains()
        new.on["viewWillAppear"] = { new in
            drains.begin("push", of: 0, holding: []) { drain in await stack.push(new) { await drain() } }
        }
        _ = stage.trace.take()
        container.view.addSubview(new.view)
        #expect(
            stage.trace.take() == [
                "N.viewWillAppear", "N.didMove(nil)", "N.willMove(nil)", "B.viewWillDisappear", "N.viewDidAppear",
            ]
        )
        #expect(new.view.superview === stack.view && new.view.window === window)
        drains.end(0)
        #expect(stage.trace.take() == ["B.viewDidDisappear", "N.didMove(nil)"])
    }

    @Test(
        "a child that another working set takes as it appears, before that set is shown, stays in service (3.24, 5.10)"
    )
    func takenByASet() {
        let child = stage.controller("N")
        let first = WorkingSetController<Int, ViewController>(host: stage.host, limit: 1)
        let second = WorkingSetController<Int, ViewController>(host: stage.host, limit: 1)
        let windows = [stage.window(showing: first), stage.window()]
        child.on["viewWillAppear"] = { child in
            child.on["viewWillAppear"] = nil
            _ = second.child(for: 4) { child }
            windows[1].rootViewController = second
        }
        _ = first.child(for: 0) { child }
        #expect(child.parent === second && child.view.window === windows[1])
        #expect(
            stage.trace.take().filter { $0.hasPrefix("N.view") } == [
                "N.viewDidLoad", "N.viewWillAppear", "N.viewDidAppear",
            ]
        )
    }

    @Test("a view that a callback brings in and takes out again stays out (3.24, 5.8)")
    func inAndOut() {
        let (container, shown, new) = (stage.controller("C"), stage.controller("S"), stage.controller("N"))
        container.addChild(shown)
        container.addChild(new)
        let window = stage.window(showing: container)
        container.view.addSubview(shown.view)
        new.loadViewIfNeeded()
        new.on["viewWillAppear"] = { new in
            new.on["viewWillAppear"] = nil
            container.transition(from: shown, to: new)
            container.transition(from: new, to: shown)
        }
        _ = stage.trace.take()
        container.view.addSubview(new.view)
        #expect(
            stage.trace.take() == [
                "N.viewWillAppear", "S.viewWillDisappear", "S.viewDidDisappear", "N.viewDidAppear",
                "N.viewWillDisappear", "S.viewWillAppear", "N.viewDidDisappear", "S.viewDidAppear",
            ]
        )
        #expect(new.view.superview == nil && shown.view.window === window)
    }

    @Test("a view that its callback exchanges for another before it is in its place stays out (3.24, 5.11)")
    func exchangedBeforeItIsIn() {
        let (container, placed, other) = (stage.controller("C"), stage.controller("P"), stage.controller("O"))
        for child in [placed, other] { container.addChild(child) }
        let window = stage.window(showing: container)
        placed.on["viewWillAppear"] = { placed in
            placed.on["viewWillAppear"] = nil
            container.transition(from: placed, to: other)
        }
        container.view.addSubview(placed.view)
        #expect(placed.view.superview == nil && other.view.window === window)
        #expect(
            stage.events { window.hide() } == [
                "C.viewWillDisappear", "O.viewWillDisappear", "C.viewDidDisappear", "O.viewDidDisappear",
            ]
        )
    }

    @Test("a view that turns back because its place has gone comes in if a callback brings the place back (3.17, 5.8)")
    func placeThatComesBack() {
        let (root, sheet, placed) = (stage.controller("R"), stage.controller("S"), stage.controller("P"))
        let window = stage.window(showing: root)
        root.present(sheet, style: .overlay)
        placed.loadViewIfNeeded()
        placed.on["viewWillAppear"] = { placed in
            placed.on["viewWillAppear"] = nil
            root.dismiss()
        }
        placed.on["viewWillDisappear"] = { placed in
            placed.on["viewWillDisappear"] = nil
            root.present(sheet, style: .overlay)
        }
        #expect(
            stage.events { sheet.view.addSubview(placed.view) }.filter { $0.hasPrefix("P.") } == [
                "P.viewWillAppear", "P.viewWillDisappear", "P.viewWillAppear", "P.viewDidAppear",
            ]
        )
        #expect(placed.view.window === window)
    }

    @Test("a view is not placed if a callback gives its controller to another container (3.24)")
    func takenWhileItsViewIsPlaced() {
        let c = stage.controller("C")
        let other = NavigationController(host: stage.host)
        let window = stage.window()
        _ = c.view
        c.on["viewWillAppear"] = { other.push($0) }
        #expect(
            stage.events { window.addSubview(c.view) } == [
                "C.viewWillAppear", "C.willMove(nil)", "C.viewWillDisappear", "C.viewDidDisappear", "C.didMove(nil)",
            ]
        )
        #expect(c.parent === other)
        #expect(c.view.superview == nil)
    }

    @Test("a view that moves into a container that is not in service leaves service (5.8)")
    func movedIntoAContainerOutOfService() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let c = stage.controller("C")
        let window = stage.window(showing: a)
        a.addChild(c)
        a.view.addSubview(c.view)
        _ = b.view
        b.addChild(c)
        #expect(stage.events { b.view.addSubview(c.view) } == ["C.viewWillDisappear", "C.viewDidDisappear"])
        #expect(c.view.superview === b.view)
        withExtendedLifetime(window) {}
    }

    @Test("a view that a callback releases while it is placed does not come into service (3.2, 3.24)")
    func releasedWhilePlaced() {
        let container = stage.controller("C")
        let child = stage.controller("A")
        let inner = stage.controller("I")
        let stack = NavigationController(host: stage.host, viewControllers: [inner])
        child.addChild(stack)
        child.view.addSubview(stack.view)
        stack.view = nil
        inner.view = nil
        container.addChild(child)
        let window = stage.window(showing: container)
        inner.on["viewDidLoad"] = { _ in child.view = nil }
        let view: View = child.view
        #expect(stage.events { container.view.addSubview(view) } == ["I.loadView", "I.viewDidLoad"])
        #expect(!child.isViewLoaded && container.view.window === window)
    }

    @Test("a view that is being placed appears after it is in place, even if its container has appeared before (3.3)")
    func placedWhileItsContainerAppears() {
        let (container, child) = (stage.controller("P"), stage.controller("C"))
        container.addChild(child)
        _ = container.view
        let window = stage.window()
        container.beginAppearanceTransition(true)
        child.on["viewWillAppear"] = { [unowned container, unowned window] _ in
            container.endAppearanceTransition()
            window.addSubview(container.view)
        }
        child.annotation = { $0.viewIfLoaded?.superview == nil ? "" : " in place" }
        #expect(
            stage.events { container.view.addSubview(child.view) }.suffix(3) == [
                "C.viewWillAppear", "P.viewDidAppear", "C.viewDidAppear in place",
            ]
        )
        #expect(child.view.window === window)
    }

    @Test("a child that is removed while it comes into a container that appears does not appear off window (3.3, 3.24)")
    func removedOnItsWayIn() {
        let child = stage.controller("C")
        child.on["viewWillAppear"] = { child in
            child.willMove(toParent: nil)
            child.removeFromParent()
        }
        let window = stage.window()
        let container = stage.controller("P")
        container.on["viewWillAppear"] = { container in
            container.on = [:]
            container.addChild(child)
            container.view.addSubview(child.view)
            #expect(child.appearance.phase == .disappeared)
        }
        window.rootViewController = container
        #expect(child.parent == nil)
        window.hide()
        #expect(child.appearance.phase == .disappeared)
    }

    @Test(
        "a controller that comes in as the view around it is dropped ends its transition, at any depth (3.17, 3.24)",
        arguments: [1, 2]
    )
    func droppedAround(depth: Int) {
        let outer = stage.controller("O")
        let window = stage.window(showing: outer)
        var parent: ViewController = outer
        for _ in 1..<depth {
            let inner = stage.controller("I")
            parent.addChild(inner)
            parent.view.addSubview(inner.view)
            parent = inner
        }
        let child = stage.controller("C", on: ["viewWillLayoutSubviews": { [unowned outer] _ in outer.view = nil }])
        child.recordsLayout = true
        parent.addChild(child)
        child.loadViewIfNeeded()
        let events = stage.events { parent.view.addSubview(child.view) }.filter { $0.hasSuffix("ppear") }
        #expect(events == ["C.viewWillAppear", "C.viewWillDisappear", "C.viewDidDisappear"])
        withExtendedLifetime(window) {}
    }

    @Test("a presenting child that is removed and added again by a callback of its removal stays (3.24)")
    func addedAgain() {
        let child = stage.controller("C")
        let container = stage.controller("P")
        let window = stage.window(showing: container)
        container.addChild(child)
        container.view.addSubview(child.view)
        child.present(stage.controller("M"))
        child.view.removeFromSuperview()
        container.on["viewWillAppear"] = { [unowned child] container in
            container.on = [:]
            child.removeFromParent()
            container.addChild(child)
            container.view.addSubview(child.view)
        }
        child.removeFromParent()
        #expect(child.parent === container && child.appearance.phase == .appeared)
        #expect(stage.events { window.hide() }.contains("C.viewDidDisappear"))
    }

    @Test(
        "a presenting child that is removed does not return to the container that its presentation uncovers (5.4)",
        arguments: [false, true]
    )
    func removedWhilePresenting(isShown: Bool) {
        let child = stage.controller("C")
        let container = isShown ? ShowingController(host: stage.host) : stage.controller("P")
        let window = stage.window(showing: container)
        container.addChild(child)
        (container as? ShowingController)?.shown = child
        container.view.addSubview(child.view)
        child.present(stage.controller("M"))
        if !isShown { child.releaseViewIfOffWindow() }
        child.willMove(toParent: nil)
        child.viewIfLoaded?.removeFromSuperview()
        child.removeFromParent()
        #expect(container.view.window === window && container.view.subviews.isEmpty)
        #expect(child.appearance.phase == .disappeared && child.viewIfLoaded?.superview == nil)
    }

    @Test("a view that a deinit puts into a window that is being hidden leaves service with it (3.24, 5.8)")
    func placedByADeinit() {
        let window = stage.window()
        let (x, z) = (stage.controller("X"), stage.controller("Z"))
        var placing: PlacingController? = PlacingController(host: stage.host) { window.addSubview(z.view) }
        window.addSubview(x.view)
        if let placing { window.addSubview(placing.view) }
        // The window has looked its views up, and is the last to keep the controller.
        x.on["viewWillDisappear"] = once {
            placing?.view.removeFromSuperview()
            placing = nil
        }
        window.hide()
        #expect(z.appearance.phase == .disappeared && z.viewIfLoaded?.superview === window)
        window.makeVisible()
        #expect(z.appearance.phase == .appeared && x.appearance.phase == .appeared)
    }

    @Test("a stack that the program drives itself, in its view on window, lays out its child first (3.4, 3.14)")
    func drivenByTheProgram() {
        final class Manual: ViewController {
            override var shouldAutomaticallyForwardAppearanceMethods: Bool { false }
        }
        let (parent, child) = (Manual(host: stage.host), stage.controller("A"))
        let stack = NavigationController(host: stage.host, viewControllers: [child])
        let window = stage.window(showing: parent)
        window.resize(to: Budget(bytes: 1_000))
        child.recordsLayout = true
        parent.addChild(stack)
        parent.view.addSubview(stack.view)
        let events = stage.events {
            stack.beginAppearanceTransition(true)
            stack.endAppearanceTransition()
        }
        #expect(
            events == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewWillLayoutSubviews",
                "A.viewDidLayoutSubviews", "A.viewDidAppear",
            ]
        )
        #expect(child.view.budget.bytes == 1_000)
    }
}

/// Calls back when it is destroyed.
private final class PlacingController: ViewController {
    private let atEnd: () -> Void

    init(host: ControllerHost, atEnd: @escaping () -> Void) {
        self.atEnd = atEnd
        super.init(host: host)
    }

    deinit { atEnd() }
}

/// A container of the program that shows one child.
private final class ShowingController: ViewController {
    weak var shown: ViewController?

    override var childForAppearance: ViewController? { shown }
}
