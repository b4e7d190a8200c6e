import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct WindowTests {
    let stage = Stage()

    @Test("nothing is loaded until the window is shown (5.31)")
    func loadsWhenShown() {
        let a = stage.controller("A")
        let window = Window(host: stage.host)
        #expect(stage.events { window.rootViewController = a }.isEmpty)
        let appearance = ["A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear"]
        #expect(
            stage.events {
                window.makeVisible()
                window.makeVisible()
            } == appearance
        )
        #expect(a.view.window === window)
    }

    @Test("a root whose view is in the window already gets the window's budget (5.8, 5.32)")
    func rootInItsWindow() {
        let a = stage.controller("A")
        let window = stage.window()
        window.addSubview(a.view)
        window.resize(to: Budget(bytes: 1 << 20))
        #expect(a.view.budget != window.budget)
        a.recordsLayout = true
        #expect(
            stage.events { window.rootViewController = a } == ["A.viewWillLayoutSubviews", "A.viewDidLayoutSubviews"]
        )
        #expect(a.view.budget == window.budget && a.view.superview === window)
    }

    @Test("the old root is released before the new one is loaded (5.32)")
    func replacingTheRoot() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let window = stage.window(showing: a)
        #expect(
            stage.events {
                window.rootViewController = b
                stage.host.simulateMemoryWarning()
            } == [
                "A.viewWillDisappear", "A.viewDidDisappear", "B.loadView", "B.viewDidLoad", "B.viewWillAppear",
                "B.viewDidAppear", "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload",
                "B.didReceiveMemoryWarning",
            ]
        )
        #expect(window.subviews.count == 1)
    }

    @Test("setting the present root again leaves its view where the program has put it (2.8)")
    func settingTheRootAgain() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let window = stage.window(showing: a)
        window.rootViewController = b
        b.view.removeFromSuperview()
        #expect(stage.events { window.rootViewController = b }.isEmpty && b.view.superview == nil)
    }

    @Test("hiding takes everything out of service, and showing brings it back without loading")
    func hideAndShow() {
        let a = stage.controller("A")
        let x = stage.controller("X")
        let window = stage.window(showing: a)
        window.addSubview(x.view)
        #expect(
            stage.events { window.hide() } == [
                "A.viewWillDisappear", "A.viewDidDisappear", "X.viewWillDisappear", "X.viewDidDisappear",
            ]
        )
        #expect(x.view.window == nil)
        #expect(
            stage.events { window.makeVisible() } == [
                "A.viewWillAppear", "A.viewDidAppear", "X.viewWillAppear", "X.viewDidAppear",
            ]
        )
    }

    @Test("a controller that has a parent cannot be a root (5.7)")
    func childAsRoot() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        let window = stage.window()
        #expect(stage.events { window.rootViewController = c } == ["fault:hierarchyInconsistency"])
        #expect(window.rootViewController == nil)
    }

    @Test("a root without a view is not shown")
    func rootWithoutView() {
        let a = stage.controller("A", loadView: .assignsNothing)
        let window = stage.window()
        #expect(
            stage.events { window.rootViewController = a } == [
                "A.loadView", "fault:loadViewDidNotAssignView", "A.viewDidLoad",
            ]
        )
        #expect(window.subviews.isEmpty)
    }

    @Test("a root that sets another one while it appears is replaced by it")
    func redirectWhileAppearing() {
        let b = stage.controller("B")
        let window = stage.window()
        let a = stage.controller("A", on: ["viewWillAppear": { [unowned window] _ in window.rootViewController = b }])
        #expect(
            stage.events { window.rootViewController = a } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewWillDisappear", "A.viewDidDisappear",
                "B.loadView", "B.viewDidLoad", "B.viewWillAppear", "B.viewDidAppear",
            ]
        )
        #expect(window.rootViewController === b)
        #expect(a.view.superview == nil)
        #expect(b.view.superview === window)
    }

    @Test("a root that sets another one while it loads never appears")
    func redirectWhileLoading() {
        let b = stage.controller("B")
        let window = stage.window()
        let a = stage.controller("A", on: ["viewDidLoad": { [unowned window] _ in window.rootViewController = b }])
        #expect(
            stage.events { window.rootViewController = a } == [
                "A.loadView", "A.viewDidLoad", "B.loadView", "B.viewDidLoad", "B.viewWillAppear", "B.viewDidAppear",
            ]
        )
        #expect(window.rootViewController === b)
        #expect(a.view.superview == nil)
    }

    @Test("a root that sets another root while it disappears is replaced by it, and has left before it loads (5.32)")
    func redirectWhileDisappearing() {
        let c = stage.controller("C")
        let window = Window(host: stage.host)
        let a = stage.controller(
            "A",
            on: ["viewWillDisappear": { [unowned window] _ in window.rootViewController = c }]
        )
        window.rootViewController = a
        window.makeVisible()
        let b = stage.controller("B")
        #expect(
            stage.events { window.rootViewController = b } == [
                "A.viewWillDisappear", "A.viewDidDisappear", "C.loadView", "C.viewDidLoad", "C.viewWillAppear",
                "C.viewDidAppear",
            ]
        )
        #expect(window.rootViewController === c)
        #expect(window.subviews.count == 1)
    }

    @Test("a root that hides the window while it appears is out of service again")
    func hideWhileAppearing() {
        let window = Window(host: stage.host)
        let a = stage.controller("A", on: ["viewWillAppear": { [unowned window] _ in window.hide() }])
        window.rootViewController = a
        #expect(
            stage.events { window.makeVisible() } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewWillDisappear", "A.viewDidDisappear",
            ]
        )
        #expect(!window.isVisible)
        #expect(a.view.superview == nil)
    }

    @Test("a view that a callback moves to another window stays in service there when the first one is hidden (3.24)")
    func movedWhileHiding() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let window = stage.window()
        let other = stage.window()
        window.addSubview(a.view)
        window.addSubview(b.view)
        a.on["viewWillDisappear"] = { _ in
            b.view.removeFromSuperview()
            other.addSubview(b.view)
        }
        #expect(
            stage.events { window.hide() } == [
                "A.viewWillDisappear", "B.viewWillDisappear", "B.viewDidDisappear", "B.viewWillAppear",
                "B.viewDidAppear", "A.viewDidDisappear",
            ]
        )
        #expect(b.view.window === other)
    }

    /// A window that hides itself as late as it can.
    private final class LateHiding: Window {
        deinit { hide() }
    }

    @Test("a window that hides itself in its deinit takes its controllers out of service (5.41)")
    func hiddenInDeinit() {
        let (root, panel) = (stage.controller("R"), stage.controller("P"))
        var window: LateHiding? = LateHiding(host: stage.host)
        window?.rootViewController = root
        window?.makeVisible()
        root.present(panel, style: .overlay)
        window = nil
        #expect([root, panel].allSatisfy { $0.view.superview == nil })
        let next = stage.window(showing: root)
        #expect(root.view.window === next)
    }
}
