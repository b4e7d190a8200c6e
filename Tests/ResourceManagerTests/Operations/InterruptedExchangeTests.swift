import Testing

@testable import ControllerWalk
@testable import ResourceManager

/// Containers that show one child, and whose callbacks change the child while it comes or leaves.
@Suite(.onTwoThreads)
struct InterruptedExchangeTests {
    let stage = Stage()

    @Test("if a new top leaves as the old one disappears, the controller below is loaded and shown (2.15, 3.24)")
    func removedAsOldTopLeaves() {
        let (old, below, new) = (stage.controller("O"), stage.controller("B"), stage.controller("N"))
        let stack = NavigationController(host: stage.host, viewControllers: [old])
        let window = stage.window(showing: stack)
        old.on["viewWillDisappear"] = { _ in new.removeFromParent() }
        #expect(
            stage.events { stack.setViewControllers([below, new]) } == [
                "B.willMove(nil)", "N.willMove(nil)", "O.willMove(nil)", "N.loadView", "N.viewDidLoad",
                "O.viewWillDisappear", "N.didMove(nil)", "B.loadView", "B.viewDidLoad", "B.viewWillAppear",
                "O.viewDidDisappear", "B.viewDidAppear", "O.didMove(nil)", "B.didMove(nil)",
            ]
        )
        #expect(below.viewIfLoaded?.window === window && stack.view.subviews.count == 1)
    }

    @Test("a callback that puts the new tab's view into its place itself receives its did-callback by then (3.24)")
    func placedByItsCallback() {
        let (old, new) = (stage.controller("O"), stage.controller("N"))
        let tabs = TabController(host: stage.host, viewControllers: [old])
        let window = stage.window(showing: tabs)
        new.on["viewWillAppear"] = { new in tabs.view.addSubview(new.view) }
        #expect(
            stage.events { tabs.setViewControllers([new]) } == [
                "N.willMove(nil)", "O.willMove(nil)", "N.loadView", "N.viewDidLoad", "O.viewWillDisappear",
                "N.viewWillAppear", "N.viewDidAppear", "O.viewDidDisappear", "O.didMove(nil)", "N.didMove(nil)",
            ]
        )
        #expect(new.view.window === window)
    }

    @Test("a child that its callback brings back as it is removed leaves again before the link is cut (3.24, 5.5)")
    func returnedAsItIsRemoved() {
        let (child, inner) = (stage.controller("C"), stage.controller("I"))
        inner.annotation = { $0.viewIfLoaded?.window == nil ? " off window" : " on window" }
        child.addChild(inner)
        child.view.addSubview(inner.view)
        let stack = NavigationController(host: stage.host, viewControllers: [child])
        let window = stage.window(showing: stack)
        child.on["viewDidDisappear"] = { child in
            child.on = ["viewWillDisappear": { _ in window.hide() }]
            window.hide()
            window.makeVisible()
        }
        #expect(
            stage.events { child.removeFromParent() } == [
                "C.viewWillDisappear", "I.viewWillDisappear on window", "C.viewDidDisappear", "C.viewWillAppear",
                "I.viewWillAppear off window", "C.viewDidAppear", "I.viewDidAppear on window",
                "C.viewWillDisappear", "I.viewWillDisappear on window", "C.viewDidDisappear",
                "I.viewDidDisappear off window", "C.didMove(nil)",
            ]
        )
        #expect(child.view.superview == nil && stack.viewControllers.isEmpty)
    }

    @Test("a child whose view is released while it drains off window does not return with the container (5.11, 5.14)")
    func releasedInDrain() {
        let (container, old, new) = (stage.controller("P"), stage.controller("O"), stage.controller("N"))
        for child in [old, new] { container.addChild(child) }
        container.view.addSubview(old.view)
        let drains = Drains()
        drains.begin("transition", of: 0, holding: []) { drain in
            await container.transition(from: old, to: new) { await drain() }
        }
        old.view = nil
        drains.end(0)
        let window = stage.window(showing: container)
        #expect(!old.isViewLoaded && new.view.window === window)
    }

    @Test("a stack out of service leaves a controller alone that appears in another one's drain (3.24, 5.16)")
    func coveredInAnothersDrain() {
        let (below, new, above) = (stage.controller("B"), stage.controller("N"), stage.controller("A"))
        let stack = NavigationController(host: stage.host, viewControllers: [below])
        let other = NavigationController(host: stage.host)
        let window = stage.window(showing: stack)
        new.on["viewWillAppear"] = { _ in window.hide() }
        let drains = Drains()
        drains.begin("push", of: 0, holding: []) { drain in await stack.push(new) { await drain() } }
        other.push(new)
        #expect(stage.events { other.push(above) } == ["A.willMove(nil)", "A.didMove(nil)"])
        #expect(
            stage.events { drains.end(0) } == [
                "B.viewDidDisappear", "N.viewWillDisappear", "N.viewDidDisappear", "fault:hierarchyInconsistency",
            ]
        )
    }

    @Test("a child that drains and comes into a container on its way out leaves with the container (3.22, 3.24)")
    func drainedIntoLeavingContainer() {
        let (top, new, middle) = (stage.controller("T"), stage.controller("N"), stage.controller("M"))
        let stack = NavigationController(host: stage.host, viewControllers: [top])
        let outer = NavigationController(host: stage.host, viewControllers: [stage.controller("B"), middle])
        let window = stage.window(showing: outer)
        middle.addChild(stack)
        middle.view.addSubview(stack.view)
        let drains = Drains()
        drains.begin("push", of: 0, holding: []) { drain in await stack.push(new) { await drain() } }
        drains.begin("pop", of: 1, holding: []) { drain in _ = await outer.pop { await drain() } }
        middle.addChild(top)
        drains.begin("transition", of: 2, holding: []) { drain in
            await middle.transition(from: stack, to: top) { await drain() }
        }
        #expect(stage.events { drains.end(2) } == [])
        #expect(top.view.window === window)
        #expect(
            stage.events { drains.end(1) } == [
                "M.viewDidDisappear", "N.viewDidDisappear", "T.viewDidDisappear", "B.viewDidAppear", "M.didMove(nil)",
            ]
        )
        #expect(stage.events { drains.end(0) } == ["N.didMove(nil)"])
    }

    @Test("a child that drains stays when its container, on its way out, comes back in a callback (3.17, 3.22)")
    func drainsInContainerThatTurns() {
        let (old, new) = (stage.controller("O"), stage.controller("N"))
        let stack = NavigationController(host: stage.host, viewControllers: [old])
        let window = stage.window(showing: stack)
        let drains = Drains()
        drains.begin("push", of: 0, holding: []) { drain in await stack.push(new) { await drain() } }
        new.on["viewWillDisappear"] = once { window.makeVisible() }
        window.hide()
        #expect(old.view.window === window && new.view.window === window)
        drains.end(0)
        #expect(old.view.superview == nil && new.view.window === window)
    }

    @Test("a child that comes back, and begins to leave by itself, turns round in its place (3.14, 3.17)")
    func leavesByItselfAsItComesBack() {
        let (old, new) = (stage.controller("O"), stage.controller("N"))
        let stack = NavigationController(host: stage.host, viewControllers: [old])
        let window = stage.window(showing: stack)
        old.annotation = { $0.viewIfLoaded?.window == nil ? " off window" : " on window" }
        new.on["viewWillAppear"] = { $0.removeFromParent() }
        old.on["viewWillAppear"] = once { old.beginAppearanceTransition(false) }
        #expect(
            stage.events { stack.push(new) }.filter { $0.hasPrefix("O") } == [
                "O.viewWillDisappear on window", "O.viewWillAppear on window", "O.viewWillDisappear on window",
                "O.viewWillAppear on window", "O.viewDidAppear on window",
            ]
        )
        #expect(old.view.window === window)
    }

    @Test(
        "a drain whose container's view is assigned or dropped meanwhile ends with all callbacks (3.22, 3.24)",
        arguments: [false, true]
    )
    func containerViewChangesInDrain(isDropped: Bool) {
        let (below, top) = (stage.controller("B"), stage.controller("T"))
        let stack = NavigationController(host: stage.host, viewControllers: [below, top])
        let window = stage.window(showing: stack)
        let drains = Drains()
        let begun = stage.events {
            drains.begin("pop", of: 0, holding: []) { drain in _ = await stack.pop { await drain() } }
            stack.view = isDropped ? nil : View()
        }
        #expect(
            begun == [
                "T.willMove(nil)", "B.loadView", "B.viewDidLoad", "T.viewWillDisappear", "B.viewWillAppear",
            ]
        )
        #expect(
            stage.events { drains.end(0) }
                == ["T.viewDidDisappear"]
                + (isDropped ? ["B.viewWillDisappear", "B.viewDidDisappear"] : ["B.viewDidAppear"])
                + ["T.didMove(nil)"]
        )
        #expect(top.viewIfLoaded?.superview == nil && (below.viewIfLoaded?.window === window) == !isDropped)
    }

    @Test("a container whose new view takes the former one in has its children in service (2.12, 5.10)")
    func formerViewInNewOne() {
        let (container, child) = (stage.controller("P"), stage.controller("C"))
        let window = stage.window(showing: container)
        container.addChild(child)
        container.view.addSubview(child.view)
        let old: View = container.view
        container.recordsLayout = true
        container.on["viewDidLayoutSubviews"] = once { container.view.addSubview(old) }
        container.view = View()
        #expect(child.view.window === window && child.appearance.phase == .appeared)
        #expect(stage.events { window.hide() }.contains("C.viewDidDisappear"))
    }
}
