import Testing

@testable import ControllerWalk
@testable import ResourceManager

/// Container changes that callbacks, or the program during a drain, revert.
@Suite(.onTwoThreads)
struct InterruptedContainerTests {
    let stage = Stage()

    @Test("if a new top moves elsewhere while it loads, the controller below takes the place (3.24, 5.18)")
    func takenByLoad() {
        let below = stage.controller("B")
        let middle = stage.controller("M")
        let new = stage.controller("N")
        let other = stage.controller("O")
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let window = stage.window(showing: stack)
        new.on["loadView"] = { other.addChild($0) }
        #expect(
            stage.events { stack.setViewControllers([middle, new]) } == [
                "M.willMove(nil)", "N.willMove(nil)", "B.willMove(nil)", "N.loadView", "N.didMove(nil)",
                "N.willMove(O)", "N.viewDidLoad", "M.loadView", "M.viewDidLoad", "B.viewWillDisappear",
                "M.viewWillAppear", "B.viewDidDisappear", "M.viewDidAppear", "B.didMove(nil)", "M.didMove(nil)",
                "fault:hierarchyInconsistency",
            ]
        )
        #expect(stack.viewControllers.count == 1 && stack.topViewController === middle)
        #expect(stack.view.subviews.count == 1 && middle.view.window === window)
        #expect(new.parent === other && new.view.superview == nil)
    }

    @Test("an old top that has not returned with its stack does not come on window while it is replaced (3.22, 3.24)")
    func replacedBeforeReturning() {
        let (below, new) = (stage.controller("B"), stage.controller("N"))
        let stack = Top(host: stage.host, viewControllers: [below])
        let window = stage.window(showing: stack)
        window.hide()
        let drains = Drains()
        stack.willAppear = { stack in
            stack.willAppear = { _ in }
            drains.begin("push", of: 0, holding: []) { drain in await stack.push(new) { await drain() } }
        }
        _ = stage.trace.take()
        window.makeVisible()
        #expect(new.view.window === window && below.view.superview == nil)
        drains.end(0)
        #expect(
            stage.trace.take() == [
                "N.willMove(nil)", "N.loadView", "N.viewDidLoad", "N.viewWillAppear", "N.viewDidAppear",
                "N.didMove(nil)",
            ]
        )
    }

    @Test("a view that a callback puts elsewhere is taken out again when a stack that is not loaded adopts it (3.24)")
    func placedElsewhereWhileAdopted() {
        let child = stage.controller("A")
        child.loadViewIfNeeded()
        let elsewhere = View()
        // The stack has no name of its own in the trace.
        child.on["willMove(nil)"] = { elsewhere.addSubview($0.view) }
        let stack = NavigationController(host: stage.host)
        stack.setViewControllers([child])
        #expect(child.parent === stack && !stack.isViewLoaded)
        #expect(child.view.superview == nil && elsewhere.subviews.isEmpty)
    }

    @Test("if a new top is removed during the drain, the old top returns (3.17, 3.22)")
    func topTakenInDrain() async {
        let below = stage.controller("B")
        let new = stage.controller("N")
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let window = stage.window(showing: stack)
        await stack.push(new) {
            new.willMove(toParent: nil)
            new.view.removeFromSuperview()
            new.removeFromParent()
        }
        #expect(
            stage.trace.take() == [
                "N.willMove(nil)", "N.loadView", "N.viewDidLoad", "B.viewWillDisappear", "N.viewWillAppear",
                "N.willMove(nil)", "N.viewWillDisappear", "N.viewDidDisappear", "N.didMove(nil)",
                "B.viewWillAppear", "B.viewDidAppear",
            ]
        )
        #expect(stack.topViewController === below)
        #expect(below.view.window === window && stack.view.subviews.count == 1)
    }

    @Test("an old top that returns at the end of a drain is laid out with its new child (3.4, 3.22)")
    func topTakenInDrainIsLaidOut() async {
        let below = NavigationController(host: stage.host, viewControllers: [stage.controller("A")])
        let (inner, new) = (stage.controller("I"), stage.controller("N"))
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let window = stage.window(showing: stack)
        inner.recordsLayout = true
        await stack.push(new) {
            below.push(inner)
            new.removeFromParent()
        }
        #expect(
            stage.trace.take().filter { $0.hasPrefix("I.view") } == [
                "I.viewDidLoad", "I.viewWillAppear", "I.viewWillLayoutSubviews", "I.viewDidLayoutSubviews",
                "I.viewDidAppear",
            ]
        )
        #expect(inner.view.window === window)
    }

    @Test("a controller that its load moves into another stack appears there after the push that loads it (2.12, 3.24)")
    func movedByItsLoad() {
        let (first, second) = (NavigationController(host: stage.host), NavigationController(host: stage.host))
        first.setViewControllers([stage.controller("A")])
        let windows = [stage.window(showing: first), stage.window(showing: second)]
        let x = stage.controller("X", on: ["loadView": { x in second.setViewControllers([x]) }])
        #expect(
            stage.events { first.push(x) } == [
                "X.willMove(nil)", "X.loadView", "X.didMove(nil)", "X.willMove(nil)", "X.didMove(nil)", "X.viewDidLoad",
                "X.viewWillAppear", "X.viewDidAppear", "fault:hierarchyInconsistency",
            ]
        )
        #expect(x.view.window === windows[1] && second.topViewController === x)
    }

    @Test("an old top that returns at the end of a drain leaves again if the stack leaves meanwhile (3.17, 3.24)")
    func stackTakenAsOldTopReturns() async {
        let (below, new) = (stage.controller("B"), stage.controller("N"))
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let window = stage.window(showing: stack)
        below.on["viewWillAppear"] = { _ in window.rootViewController = nil }
        await stack.push(new) {
            // The old top's view does not return with the stack's view.
            stack.present(stage.controller("C"))
            stack.dismiss()
            new.removeFromParent()
        }
        #expect(
            stage.trace.take().suffix(3) == ["B.viewWillAppear", "B.viewWillDisappear", "B.viewDidDisappear"]
        )
        #expect(below.viewIfLoaded?.window == nil)
    }

    @Test("if a child hides the window as it leaves its stack, its own child is notified while on window (3.19, 3.24)")
    func hiddenByLeaving() {
        let leaving = stage.controller("L")
        let inner = stage.controller("I")
        inner.annotation = { $0.viewIfLoaded?.window == nil ? " off window" : " on window" }
        leaving.addChild(inner)
        leaving.view.addSubview(inner.view)
        let stack = NavigationController(host: stage.host, viewControllers: [leaving])
        let window = stage.window(showing: stack)
        leaving.on["viewWillDisappear"] = { _ in window.hide() }
        #expect(
            stage.events { leaving.removeFromParent() } == [
                "L.viewWillDisappear", "I.viewWillDisappear on window", "L.viewDidDisappear",
                "I.viewDidDisappear off window", "L.didMove(nil)",
            ]
        )
        #expect(stack.viewControllers.isEmpty && leaving.view.superview == nil)
    }

    @Test("if a tab is removed during the drain, its view leaves and the old tab is shown again (3.17, 3.22)")
    func tabTakenInDrain() async {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        let window = stage.window(showing: tabs)
        await tabs.select(1) { b.removeFromParent() }
        #expect(
            stage.trace.take() == [
                "B.loadView", "B.viewDidLoad", "A.viewWillDisappear", "B.viewWillAppear", "B.viewWillDisappear",
                "B.viewDidDisappear", "B.didMove(nil)", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
        #expect(tabs.selectedViewController === a)
        #expect(a.view.window === window && tabs.view.subviews.count == 1)
    }

    @Test("hiding and showing a window during a drain shows only the new controller; the old one drains on (3.22)")
    func hiddenInDrain() async {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let stack = NavigationController(host: stage.host, viewControllers: [a])
        let window = stage.window(showing: stack)
        await stack.push(b) {
            window.hide()
            window.makeVisible()
        }
        #expect(
            stage.trace.take().filter { !$0.contains("Move") } == [
                "B.loadView", "B.viewDidLoad", "A.viewWillDisappear", "B.viewWillAppear", "B.viewWillDisappear",
                "B.viewDidDisappear", "B.viewWillAppear", "B.viewDidAppear", "A.viewDidDisappear",
            ]
        )
        #expect(a.view.superview == nil && b.view.window === window)
    }

    @Test("a new top is shown at the end of a drain if its stack has loaded another view during the drain (2.12, 3.22)")
    func stackLoadedInDrain() async {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let inner = NavigationController(host: stage.host, viewControllers: [a])
        let outer = NavigationController(host: stage.host, viewControllers: [stage.controller("O")])
        let window = stage.window(showing: outer)
        await outer.push(inner) {
            inner.view = nil
            await inner.push(b) {
                window.hide()
                window.makeVisible()
            }
            #expect(b.viewIfLoaded?.superview === inner.viewIfLoaded)
        }
        #expect(inner.view.window === window && inner.view.subviews.count == 1)
        #expect(b.view.window === window && b.appearance.phase == .appeared)
    }

    @Test("a child whose last callback gives it to another parent stays there (3.24, 5.5)")
    func twoParents() {
        let root = stage.controller("R")
        let child = stage.controller("C")
        let third = stage.controller("T")
        let fourth = stage.controller("F")
        root.addChild(child)
        root.view.addSubview(child.view)
        child.didMove(toParent: root)
        child.on["viewDidAppear"] = { child in
            child.on = [:]
            fourth.addChild(child)
        }
        root.on["viewWillLayoutSubviews"] = { root in
            root.on = [:]
            third.addChild(child)
        }
        root.recordsLayout = true
        let window = Window(host: stage.host)
        window.rootViewController = root
        #expect(
            stage.events { window.makeVisible() } == [
                "R.viewWillAppear", "C.viewWillAppear", "R.viewWillLayoutSubviews", "C.viewDidAppear",
                "C.didMove(nil)", "C.willMove(F)", "fault:hierarchyInconsistency", "R.viewDidLayoutSubviews",
                "R.viewDidAppear",
            ]
        )
        #expect(child.parent === fourth && fourth.children.count == 1)
        #expect(third.children.isEmpty && root.children.isEmpty)
    }

    @Test("a child that another container takes as the next one appears hears first that it has left its parent (5.5)")
    func takenByTheNext() {
        let (next, child, other) = (stage.controller("A"), stage.controller("B"), stage.controller("Q"))
        let stack = NavigationController(host: stage.host, viewControllers: [next, child])
        let window = stage.window(showing: stack)
        next.on["viewWillAppear"] = { _ in other.addChild(child) }
        #expect(
            stage.events { child.removeFromParent() } == [
                "B.viewWillDisappear", "B.viewDidDisappear", "A.loadView", "A.viewDidLoad", "A.viewWillAppear",
                "B.didMove(nil)", "B.willMove(Q)", "A.viewDidAppear",
            ]
        )
        #expect(child.parent === other && next.view.window === window)
    }

    @Test("a stack that hides and shows its window during a push only shows the new top")
    func hiddenInPush() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let stack = NavigationController(host: stage.host, viewControllers: [a])
        let window = stage.window(showing: stack)
        a.on["viewWillDisappear"] = { [unowned window] a in
            a.on = [:]
            window.hide()
            window.makeVisible()
        }
        #expect(
            stage.events { stack.push(b) }.filter { !$0.contains("Move") } == [
                "B.loadView", "B.viewDidLoad", "A.viewWillDisappear", "A.viewDidDisappear", "B.viewWillAppear",
                "B.viewDidAppear",
            ]
        )
        #expect(stack.view.subviews.count == 1 && b.view.window === window)
    }

    @Test("a child that has left a container does not return to its former place there (5.14)")
    func formerPlaceInAnotherContainer() {
        let (outer, inner) = (stage.controller("O"), stage.controller("I"))
        let c = stage.controller("C")
        outer.addChild(inner)
        outer.view.addSubview(inner.view)
        inner.addChild(c)
        inner.view.addSubview(c.view)
        c.view = nil
        outer.addChild(c)
        _ = stage.window(showing: outer)
        #expect(!c.isViewLoaded)
    }

    @Test("a top that returns to its place and pushes another one stays out (3.24, 5.14)")
    func pushesAsItReturns() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let stack = Top(host: stage.host, viewControllers: [a])
        stack.willAppear = { stack in
            stack.willAppear = { _ in }
            a.view = nil
        }
        a.on["viewWillAppear"] = once { [unowned stack] in stack.push(b) }
        let window = stage.window(showing: stack)
        #expect(stack.view.subviews.count == 1 && b.view.window === window)
        #expect(a.appearance.phase == .disappeared && b.appearance.phase == .appeared)
    }

    @Test("a view that was read and released once more returns to its former place all the same (5.14)")
    func releasedTwice() {
        let (container, child) = (stage.controller("C"), stage.controller("A"))
        container.addChild(child)
        container.view.addSubview(child.view)
        let window = stage.window(showing: container)
        window.hide()
        for _ in 0..<2 {
            child.loadViewIfNeeded()
            child.releaseViewIfOffWindow()
        }
        window.makeVisible()
        #expect(child.view.superview === container.view && child.appearance.phase == .appeared)
    }

    @Test("a view that the program has put back and taken out again does not return to its former place (5.14)")
    func formerPlaceAfterAnotherPlace() {
        let (container, child) = (stage.controller("C"), stage.controller("A"))
        container.addChild(child)
        container.view.addSubview(child.view)
        child.view = nil
        container.view.addSubview(child.view)
        child.view.removeFromSuperview()
        let window = stage.window(showing: container)
        #expect(child.view.superview == nil)
        withExtendedLifetime(window) {}
    }

    @Test("a view does not return at the end of a presentation if its controller joins a stack (5.5, 5.14)")
    func removedAtEndOfPresentation() {
        let container = stage.controller("C")
        let child = stage.controller("A")
        container.addChild(child)
        container.view.addSubview(child.view)
        child.didMove(toParent: container)
        let window = stage.window(showing: container)
        child.present(stage.controller("S"))
        child.view = nil
        let stack = NavigationController(host: stage.host)
        #expect(
            stage.events { stack.push(child) }.suffix(4) == [
                "S.deinit", "A.didMove(nil)", "A.willMove(nil)", "A.didMove(nil)",
            ]
        )
        #expect(container.view.window === window && container.view.subviews.isEmpty)
        #expect(child.parent === stack && child.view.superview == nil)
    }

    @Test(
        "a child in service disappears when it leaves its parent although its view was dropped, or is back in no place (2.12)",
        arguments: [false, true],
        [false, true]
    )
    func leavesWithoutAPlace(isCustom: Bool, isLoadedAgain: Bool) {
        let child = stage.controller("A")
        let container = isCustom ? stage.controller("C") : NavigationController(host: stage.host)
        if let stack = container as? NavigationController { stack.push(child) } else { container.addChild(child) }
        if isCustom { container.view.addSubview(child.view) }
        let below = stage.controller("B")
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let windows = [stage.window(showing: container), stage.window(showing: stack)]
        child.view = nil
        if isLoadedAgain { child.loadViewIfNeeded() }
        let middle = stage.controller("M")
        let events = stage.events { stack.setViewControllers([below, child, middle]) }
        #expect(events.filter { $0.hasPrefix("A.") }.starts(with: ["A.viewWillDisappear", "A.viewDidDisappear"]))
        let top = stage.controller("T")
        stack.push(top)
        #expect(top.view.window === windows[1] && middle.view.window == nil)
    }

    @Test("in a popover, the old top does not return with a window that is hidden meanwhile (3.24, 5.39)")
    func oldTopInPopover() {
        let below = stage.controller("B")
        let old = stage.controller("O")
        let inner = stage.controller("I")
        old.addChild(inner)
        old.view.addSubview(inner.view)
        let stack = NavigationController(host: stage.host, viewControllers: [below, old])
        let window = stage.window(showing: stage.controller("R"))
        let popover = Popover(contentController: stack)
        popover.show(in: window)
        var isInnerInService: Bool?
        inner.on["viewDidDisappear"] = { isInnerInService = $0.view.window != nil }
        below.on["viewWillAppear"] = { controller in
            controller.on = [:]
            window.hide()
        }
        old.on["viewDidDisappear"] = { _ in window.makeVisible() }
        stack.pop()
        #expect(isInnerInService == false)
        #expect(stack.view.subviews.count == 1 && below.view.window === window)
        #expect(old.view.superview == nil)
    }

    @Test("a stack that comes into service while a controller is added to it shows only that controller (3.24, 5.15)")
    func shownWhileItAdopts() {
        let (a, b, x) = (stage.controller("A"), stage.controller("B"), stage.controller("X"))
        let stack = NavigationController(host: stage.host, viewControllers: [a, b])
        let tabs = TabController(host: stage.host, viewControllers: [x])
        let window = stage.window(showing: tabs)
        x.on["viewDidDisappear"] = { x in
            x.on = [:]
            tabs.setViewControllers([stack, b])
        }
        #expect(
            stage.events { stack.push(x) }.filter { !$0.contains("Move") } == [
                "X.viewWillDisappear", "X.viewDidDisappear", "A.loadView", "A.viewDidLoad", "A.viewWillAppear",
                "A.viewDidAppear", "A.viewWillDisappear", "X.viewWillAppear", "A.viewDidDisappear", "X.viewDidAppear",
            ]
        )
        #expect(stack.viewControllers.count == 2 && stack.viewControllers.first === a && stack.topViewController === x)
        #expect(x.view.window === window && a.view.superview == nil)
    }

    @Test("the end of a drain leaves a controller alone that another container takes out in a drain (3.22, 3.24)")
    func takenOutByAnotherDrain() {
        let (p, q) = (stage.controller("P"), stage.controller("Q"))
        let (a, x, b) = (stage.controller("A"), stage.controller("X"), stage.controller("B"))
        for child in [a, x] { p.addChild(child) }
        p.view.addSubview(a.view)
        let windows = [stage.window(showing: p), stage.window(showing: q)]
        let first = ChildExchange(in: p, from: a, to: x, drains: true)
        first.begin()
        x.removeFromParent()
        for child in [x, b] { q.addChild(child) }
        q.view.addSubview(x.view)
        let second = ChildExchange(in: q, from: x, to: b, drains: true)
        second.begin()
        #expect(stage.events { first.finish() }.filter { $0.hasPrefix("X") }.isEmpty)
        #expect(stage.events { second.finish() }.filter { $0.hasPrefix("X") } == ["X.viewDidDisappear"])
        withExtendedLifetime(windows) {}
    }

    @Test(
        "a child that leaves a custom container during a drain takes its view with it, on window and off (3.22, 5.11)",
        arguments: [true, false]
    )
    func removedDuringADrain(isOnWindow: Bool) {
        let (p, a, x) = (stage.controller("P"), stage.controller("A"), stage.controller("X"))
        for child in [a, x] { p.addChild(child) }
        p.view.addSubview(a.view)
        let window = isOnWindow ? stage.window(showing: p) : nil
        let exchange = ChildExchange(in: p, from: a, to: x, place: p.view, drains: true)
        exchange.begin()
        x.removeFromParent()
        exchange.finish()
        #expect(x.parent == nil && x.view.superview == nil && p.view.subviews.isEmpty)
        withExtendedLifetime(window) {}
    }

    @Test("the end of a drain does not affect a controller that another container has taken for its own (3.22, 3.24)")
    func takenBetweenDrains() {
        let (hidden, shown) = (stage.controller("H"), stage.controller("S"))
        let (a, b, x) = (stage.controller("A"), stage.controller("B"), stage.controller("X"))
        for child in [a, x] { hidden.addChild(child) }
        shown.addChild(b)
        shown.view.addSubview(b.view)
        let window = stage.window(showing: shown)
        let first = ChildExchange(in: hidden, from: a, to: x, drains: true)
        first.begin()
        shown.addChild(x)
        let second = ChildExchange(in: shown, from: b, to: x, drains: true)
        second.begin()
        first.finish()
        #expect(x.appearance.phase == .appearing)
        second.finish()
        #expect(x.appearance.phase == .appeared && x.view.window === window)
    }

    @Test("a pushed controller that a callback brings back into its old parent's view leaves that view (5.5, 5.16)")
    func pushedAndBroughtBack() {
        let (p, a) = (stage.controller("P"), stage.controller("A"))
        p.addChild(a)
        let stack = NavigationController(host: stage.host, viewControllers: [p])
        let window = stage.window(showing: stack)
        p.view.addSubview(a.view)
        a.on["viewWillDisappear"] = { a in
            a.on["viewWillDisappear"] = nil
            window.hide()
            window.makeVisible()
        }
        // If it has left P's view by then, it does not leave the window unnoticed with P.
        a.on["didMove(nil)"] = { _ in
            #expect(a.appearance.phase == .disappeared)
            window.hide()
            window.makeVisible()
        }
        let events = stage.events { stack.push(a) }
        #expect(
            events.filter { $0.hasPrefix("A.view") } == [
                "A.viewWillDisappear", "A.viewDidDisappear", "A.viewWillAppear", "A.viewDidAppear",
                "A.viewWillDisappear", "A.viewDidDisappear", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
        #expect(stack.topViewController === a && a.view.superview === stack.view)
        #expect(p.view.superview == nil && p.view.subviews.isEmpty)
    }

    @Test("a top that another stack refuses after it has left its own stack is shown there again (3.24, 5.42)")
    func refusedAfterItLeft() {
        let top = Top(host: stage.host, viewControllers: [stage.controller("A")])
        let stack = NavigationController(host: stage.host, viewControllers: [stage.controller("B"), top])
        let window = stage.window(showing: stack)
        let other = NavigationController(host: stage.host)
        top.didDisappear = { top in
            top.didDisappear = { _ in }
            top.setViewControllers([other])
        }
        #expect(stage.events { other.push(top) }.last == "fault:hierarchyInconsistency")
        #expect(stack.topViewController === top && other.parent === top && other.viewControllers.isEmpty)
        #expect(top.view.window === window && other.view.window === window)
        #expect(top.appearance.phase == .appeared && other.appearance.phase == .appeared)
    }

    @Test("a child that drops its view as it appears leaves when the container shows another one (2.12, 3.17)")
    func dropsItsViewAsItAppears() {
        for isStack in [true, false] {
            let (a, b, c) = (stage.controller("A"), stage.controller("B"), stage.controller("C"))
            let stack = NavigationController(host: stage.host, viewControllers: isStack ? [a] : [])
            let tabs = TabController(host: stage.host, viewControllers: isStack ? [] : [a, b, c])
            func show(_ index: Int) {
                if isStack { stack.push([a, b, c][index]) } else { tabs.selectedIndex = index }
            }
            a.on["viewWillAppear"] = { a in
                a.on = [:]
                a.view = nil
                show(1)
            }
            let container = isStack ? stack : tabs
            let window = Window(host: stage.host)
            window.rootViewController = container
            _ = stage.trace.take()
            window.makeVisible()
            let appearances = stage.trace.take().filter { $0.hasSuffix("ppear") }
            #expect(
                appearances == [
                    "A.viewWillAppear", "A.viewWillDisappear", "B.viewWillAppear", "A.viewDidDisappear",
                    "B.viewDidAppear",
                ]
            )
            #expect(
                stage.events { show(2) }.filter { $0.hasSuffix("ppear") } == [
                    "B.viewWillDisappear", "C.viewWillAppear", "B.viewDidDisappear", "C.viewDidAppear",
                ]
            )
            #expect(container.view.subviews.count == 1 && c.view.window === window)
        }
    }
}

/// A stack with code in `viewWillAppear` and `viewDidDisappear`.
private final class Top: NavigationController {
    var willAppear: (Top) -> Void = { _ in }
    var didDisappear: (Top) -> Void = { _ in }

    override func viewWillAppear() {
        super.viewWillAppear()
        willAppear(self)
    }

    override func viewDidDisappear() {
        super.viewDidDisappear()
        didDisappear(self)
    }
}
