import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct AppearanceTests {
    let stage = Stage()

    @Test("a controller shown and taken out again, from init to deinit (3.9)")
    func wholeLife() {
        let window = stage.window()
        var a: RecordingController?
        let events = stage.events {
            a = RecordingController("A", host: stage.host, trace: stage.trace)
            a?.loadViewStyle = .assigns
            window.rootViewController = a
            a = nil
            window.rootViewController = nil
        }
        #expect(
            events == [
                "A.init", "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear",
                "A.viewWillDisappear", "A.viewDidDisappear", "A.deinit",
            ]
        )
    }

    @Test("the superview at each callback (3.3)")
    func superviewAtCallbacks() {
        let a = stage.controller("A")
        a.annotation = { controller in
            guard let view = controller.viewIfLoaded else { return "" }
            return "[superview=\(view.superview == nil ? "nil" : "set"),window=\(view.window == nil ? "nil" : "set")]"
        }
        let window = stage.window()
        #expect(
            stage.events {
                window.rootViewController = a
                window.rootViewController = nil
            } == [
                "A.loadView",
                "A.viewDidLoad[superview=nil,window=nil]",
                "A.viewWillAppear[superview=nil,window=nil]",
                "A.viewDidAppear[superview=set,window=set]",
                "A.viewWillDisappear[superview=set,window=set]",
                "A.viewDidDisappear[superview=nil,window=nil]",
            ]
        )
    }

    @Test("begins are counted, and the last end calls the did-callback (3.14)")
    func counted() {
        let a = stage.controller("A")
        #expect(
            stage.events {
                a.beginAppearanceTransition(true)
                a.beginAppearanceTransition(true)
                a.endAppearanceTransition()
                a.trace.record("-")
                a.endAppearanceTransition()
            } == ["A.loadView", "A.viewDidLoad", "A.viewWillAppear", "-", "A.viewDidAppear"]
        )
    }

    @Test("a begin towards the present state has no effect and needs no end (3.15)")
    func alreadyThere() {
        let a = stage.controller("A")
        a.beginAppearanceTransition(true)
        a.endAppearanceTransition()
        #expect(
            stage.events {
                a.beginAppearanceTransition(true)
                a.beginAppearanceTransition(false)
                a.endAppearanceTransition()
                a.beginAppearanceTransition(false)
            } == ["A.viewWillDisappear", "A.viewDidDisappear"]
        )
    }

    @Test("an end without a begin is a fault (3.16)")
    func unbalanced() {
        let a = stage.controller("A")
        _ = a.view
        #expect(stage.events { a.endAppearanceTransition() } == ["fault:unbalancedAppearanceTransition"])
    }

    @Test("a begin in the other direction reverses the transition (3.17)")
    func turnedRound() {
        let a = stage.controller("A")
        a.beginAppearanceTransition(true)
        a.endAppearanceTransition()
        #expect(
            stage.events {
                a.beginAppearanceTransition(false)
                a.beginAppearanceTransition(false)
                a.beginAppearanceTransition(true)
                a.endAppearanceTransition()
            } == ["A.viewWillDisappear", "A.viewWillAppear", "A.viewDidAppear"]
        )
    }

    @Test("a transition is forwarded to the children in the view, after the container (3.19, 5.10)")
    func forwarding() {
        let c = stage.controller("C")
        let outside = stage.controller("O")
        let p = stage.controller(
            "P",
            on: [
                "viewDidLoad": { p in
                    p.addChild(c)
                    p.view.addSubview(c.view)
                    p.addChild(outside)
                }
            ]
        )
        let window = stage.window()
        #expect(
            stage.events {
                window.rootViewController = p
                window.rootViewController = nil
            } == [
                "P.loadView", "P.viewDidLoad", "C.willMove(P)", "C.loadView", "C.viewDidLoad", "O.willMove(P)",
                "P.viewWillAppear", "C.viewWillAppear", "P.viewDidAppear", "C.viewDidAppear",
                "P.viewWillDisappear", "C.viewWillDisappear", "P.viewDidDisappear", "C.viewDidDisappear",
            ]
        )
    }

    @Test("a reversed transition reverses the children's transitions too (3.17, 5.10)")
    func forwardingTurnedRound() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        p.view.addSubview(c.view)
        #expect(
            stage.events {
                p.beginAppearanceTransition(true)
                p.beginAppearanceTransition(false)
                p.endAppearanceTransition()
            } == [
                "P.viewWillAppear", "C.viewWillAppear", "P.viewWillDisappear", "C.viewWillDisappear",
                "P.viewDidDisappear", "C.viewDidDisappear",
            ]
        )
    }

    @Test("a transition that is reversed in the will-callback is not forwarded in the old direction")
    func turnedRoundInCallback() {
        let p = stage.controller("P", on: ["viewWillAppear": { $0.beginAppearanceTransition(false) }])
        let c = stage.controller("C")
        p.addChild(c)
        p.view.addSubview(c.view)
        #expect(
            stage.events {
                p.beginAppearanceTransition(true)
                p.endAppearanceTransition()
            } == ["P.viewWillAppear", "P.viewWillDisappear", "P.viewDidDisappear"]
        )
    }

    @Test("a child that is added while its container appears, appears with it")
    func joiningATransition() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        _ = (p.view, c.view)
        #expect(
            stage.events {
                p.beginAppearanceTransition(true)
                p.view.addSubview(c.view)
                p.endAppearanceTransition()
            } == ["P.viewWillAppear", "C.viewWillAppear", "P.viewDidAppear", "C.viewDidAppear"]
        )
    }

    @Test("a child that is removed while its container appears disappears at once and permanently")
    func leavingATransition() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        p.view.addSubview(c.view)
        #expect(
            stage.events {
                p.beginAppearanceTransition(true)
                c.view.removeFromSuperview()
                p.endAppearanceTransition()
            } == [
                "P.viewWillAppear", "C.viewWillAppear", "C.viewWillDisappear", "C.viewDidDisappear", "P.viewDidAppear",
            ]
        )
    }

    @Test("a child that is removed from its parent during a transition does not stay in it")
    func removedInMidTransition() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        p.view.addSubview(c.view)
        #expect(
            stage.events {
                p.beginAppearanceTransition(true)
                c.removeFromParent()
                p.endAppearanceTransition()
                c.endAppearanceTransition()
            } == [
                "P.viewWillAppear", "C.viewWillAppear", "C.viewDidAppear", "C.didMove(nil)", "P.viewDidAppear",
                "fault:unbalancedAppearanceTransition",
            ]
        )
    }
}
