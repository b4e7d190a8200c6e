import Testing

@testable import ControllerWalk
@testable import ResourceManager

@Suite(.onTwoThreads)
struct TransitionTests {
    let stage = Stage()

    private func container() -> (p: RecordingController, c: RecordingController, d: RecordingController) {
        let p = stage.controller("P")
        let c = stage.controller("C")
        let d = stage.controller("D")
        p.addChild(c)
        p.addChild(d)
        p.view.addSubview(c.view)
        return (p, c, d)
    }

    /// A window whose root does not forward appearance.
    ///
    /// The test drives the container's transitions; the container has appeared.
    private func driven(_ container: RecordingController) -> Window {
        let outer = stage.controller("O")
        outer.forwards = false
        outer.addChild(container)
        let window = stage.window(showing: outer)
        container.beginAppearanceTransition(true)
        outer.view.addSubview(container.view)
        container.endAppearanceTransition()
        return window
    }

    @Test("the share of the old view is divided among those that stay, before the call returns (5.11)")
    func share() {
        let (p, c, d) = container()
        let sibling = View()
        p.view.addSubview(sibling)
        for view in [sibling, c.view] { view?.share = BudgetShare() }
        let window = stage.window()
        window.resize(to: Budget(bytes: 1000))
        window.rootViewController = p
        #expect(sibling.budget.bytes == 500)
        p.transition(from: c, to: d)
        #expect(sibling.budget.bytes == 1000)
        p.transition(from: d, to: c)
        #expect(sibling.budget.bytes == 500 && c.view.budget.bytes == 500)
    }

    @Test(
        "a callback that takes the container out of service does not lose both children of its transition (3.24, 5.11)",
        arguments: [
            "D.viewDidLoad", "C.viewWillDisappear", "D.viewWillAppear", "C.viewDidDisappear", "D.viewDidAppear",
        ],
        [false, true]
    )
    func interrupted(callback: String, returns: Bool) {
        let (p, c, d) = container()
        let window = stage.window(showing: p)
        let name = callback.split(separator: ".").map(String.init)
        for child in [c, d] where child.name == name[0] {
            child.on[name[1]] = { child in
                child.on = [:]
                window.hide()
                if returns { window.makeVisible() }
            }
        }
        var isDone = false
        #expect(p.transition(from: c, to: d) { isDone = true } && isDone)
        window.makeVisible()
        #expect(d.view.superview === p.view && d.appearance.phase == .appeared)
        #expect(c.view.superview == nil && c.appearance.phase == .disappeared)
    }

    @Test("a window that a callback hides and the drain shows again shows the new child (3.22, 3.24)")
    func interruptedDrain() {
        let (p, c, d) = container()
        let window = stage.window(showing: p)
        d.on["viewWillAppear"] = { d in
            d.on = [:]
            window.hide()
        }
        let drains = Drains()
        drains.begin("transition", of: 0, holding: []) { drain in
            let isAccepted = await p.transition(from: c, to: d) { await drain() }
            #expect(isAccepted)
        }
        window.makeVisible()
        drains.end(0)
        #expect(d.view.superview === p.view && d.appearance.phase == .appeared)
        #expect(c.view.superview == nil && c.appearance.phase == .disappeared)
    }

    @Test("a transition says whether it was refused (5.11)")
    func saysWhetherRefused() {
        let (p, c, d) = container()
        #expect(p.transition(from: c, to: d))
        d.removeFromParent()
        #expect(!p.transition(from: c, to: d))
        let drains = Drains()
        drains.begin("transition", of: 0, holding: []) { drain in
            let isAccepted = await p.transition(from: c, to: d) { await drain() }
            #expect(!isAccepted)
        }
        #expect(drains.pending.isEmpty)
    }

    @Test("the new view takes the old one's place, and the links do not change (5.11)")
    func place() {
        let (p, c, d) = container()
        let box = View()
        p.view.addSubview(box)
        box.addSubview(c.view)
        let window = stage.window(showing: p)
        var isDone = false
        p.transition(from: c, to: d) { isDone = true }
        #expect(isDone)
        #expect(d.view.superview === box)
        #expect(c.view.superview == nil)
        #expect(c.parent === p)
        #expect(d.view.window === window)
    }

    @Test("a new view that is shown in another place of the container's moves into the old one's (5.11)")
    func fromAnotherPlace() {
        let (p, c, d) = container()
        let places = (old: View(), other: View())
        for (place, child) in [(places.old, c), (places.other, d)] {
            p.view.addSubview(place)
            place.addSubview(child.view)
        }
        let window = stage.window(showing: p)
        #expect(p.transition(from: c, to: d))
        #expect(d.view.superview === places.old && d.view.window === window)
        #expect(c.view.superview == nil && d.appearance.phase == .appeared)
    }

    @Test("off window the views change places without callbacks; in service the new one is there")
    func offWindow() {
        let (p, c, d) = container()
        #expect(stage.events { p.transition(from: c, to: d) } == ["D.loadView", "D.viewDidLoad"])
        #expect(c.view.superview == nil)
        #expect(d.view.superview === p.view)
        let window = Window(host: stage.host)
        window.rootViewController = p
        #expect(
            stage.events { window.makeVisible() } == [
                "P.viewWillAppear", "D.viewWillAppear", "P.viewDidAppear", "D.viewDidAppear",
            ]
        )
    }

    @Test("a refused transition changes nothing: strangers are refused first, then manual forwarding (5.11)")
    func refused() {
        let (p, c, d) = container()
        let x = stage.controller("X")
        p.forwards = false
        #expect(
            stage.events {
                p.transition(from: c, to: x)
                p.transition(from: c, to: d)
            } == ["fault:notSiblings", "fault:manualForwarding"]
        )
    }

    @Test("a transition from a child to itself only calls the completion")
    func same() {
        let (p, c, _) = container()
        let window = stage.window(showing: p)
        var isDone = false
        #expect(stage.events { p.transition(from: c, to: c) { isDone = true } }.isEmpty)
        #expect(isDone)
        #expect(c.view.window === window)
    }

    @Test("the transition waits for a drain, and a memory warning meanwhile unloads neither child (3.22, 4.24)")
    func drain() async {
        let (p, c, d) = container()
        let window = stage.window(showing: p)
        let trace = stage.trace
        let host = stage.host
        await p.transition(
            from: c,
            to: d,
            drain: {
                host.simulateMemoryWarning()
                p.transition(from: d, to: c)
            }
        )
        #expect(
            trace.take() == [
                "D.loadView", "D.viewDidLoad", "C.viewWillDisappear", "D.viewWillAppear",
                "P.didReceiveMemoryWarning", "C.didReceiveMemoryWarning", "D.didReceiveMemoryWarning",
                "fault:transitionInProgress", "C.viewDidDisappear", "D.viewDidAppear",
            ]
        )
        #expect(d.view.window === window)
    }

    @Test("a drained child that the program moves to another window is notified when that window is hidden (3.24)")
    func hiddenDuringDrain() async {
        let (p, c, d) = container()
        let window = stage.window(showing: p)
        let other = stage.window()
        let trace = stage.trace
        await p.transition(
            from: c,
            to: d,
            drain: {
                d.view.removeFromSuperview()
                d.removeFromParent()
                other.addSubview(d.view)
                _ = trace.take()
                other.hide()
                #expect(trace.take() == ["D.viewWillDisappear", "D.viewDidDisappear"])
            }
        )
        withExtendedLifetime(window) {}
    }

    @Test("the new child of a drain leaves service with its container (3.3, 3.22)")
    func drainEndsWhileTheContainerLeaves() async {
        let (p, c, d) = container()
        let window = driven(p)
        let trace = stage.trace
        await p.transition(from: c, to: d, drain: { p.beginAppearanceTransition(false) })
        #expect(d.view.window === window)
        _ = trace.take()
        p.view.removeFromSuperview()
        p.endAppearanceTransition()
        #expect(trace.take() == ["P.viewDidDisappear", "C.viewDidDisappear", "D.viewDidDisappear"])
    }

    @Test("a child that is placed in a container that is leaving service leaves service too (5.8, 3.17)")
    func placedInALeavingContainer() {
        let (p, _, d) = container()
        let window = driven(p)
        _ = d.view
        d.on["viewWillAppear"] = { _ in p.beginAppearanceTransition(false) }
        #expect(
            stage.events { p.view.addSubview(d.view) } == [
                "D.viewWillAppear", "P.viewWillDisappear", "C.viewWillDisappear", "D.viewWillDisappear",
            ]
        )
        p.view.removeFromSuperview()
        #expect(
            stage.events { p.endAppearanceTransition() } == [
                "P.viewDidDisappear", "C.viewDidDisappear", "D.viewDidDisappear",
            ]
        )
        withExtendedLifetime(window) {}
    }
}
