import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct ContainerTests {
    let stage = Stage()

    @Test("adding and removing a child (5.2 to 5.4)")
    func addAndRemove() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        #expect(
            stage.events {
                p.addChild(c)
                p.addChild(c)
                c.didMove(toParent: p)
                c.willMove(toParent: nil)
                c.removeFromParent()
                c.removeFromParent()
            } == ["C.willMove(P)", "C.didMove(P)", "C.willMove(nil)", "C.didMove(nil)"]
        )
        #expect(c.parent == nil)
        #expect(p.children.isEmpty)
    }

    @Test("a child that gets another parent leaves the old one first (5.5)")
    func otherParent() {
        let p = stage.controller("P")
        let q = stage.controller("Q")
        let c = stage.controller("C")
        p.addChild(c)
        #expect(stage.events { q.addChild(c) } == ["C.didMove(nil)", "C.willMove(Q)"])
        #expect(c.parent === q)
        #expect(p.children.isEmpty)
    }

    @Test("a controller cannot contain itself, directly or through others")
    func noRings() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        #expect(
            stage.events {
                c.addChild(p)
                c.addChild(c)
            } == ["fault:hierarchyInconsistency", "fault:hierarchyInconsistency"]
        )
        #expect(p.parent == nil)
        #expect(c.parent === p)
    }

    @Test("a child's view goes below its parent's view and nowhere else (5.7)")
    func hierarchy() {
        let p = stage.controller("P")
        let q = stage.controller("Q")
        let c = stage.controller("C")
        let window = stage.window(showing: p)
        q.addChild(c)
        #expect(
            stage.events { p.view.addSubview(c.view) } == [
                "C.loadView", "C.viewDidLoad", "fault:hierarchyInconsistency",
            ]
        )
        #expect(c.view.superview == nil)
        #expect(stage.events { window.addSubview(c.view) } == ["fault:hierarchyInconsistency"])

        let box = View()
        #expect(stage.events { box.addSubview(c.view) }.isEmpty)
        #expect(stage.events { p.view.addSubview(box) } == ["fault:hierarchyInconsistency"])
        #expect(box.superview == nil)
        #expect(stage.events { q.view.addSubview(box) } == ["Q.loadView", "Q.viewDidLoad"])
    }

    @Test("a controller without a parent appears where its view is put, and disappears with it (5.8)")
    func bareController() {
        let p = stage.controller("P")
        let x = stage.controller("X")
        _ = (p.view, x.view)
        #expect(
            stage.events {
                p.view.addSubview(x.view)
                x.view.removeFromSuperview()
            }.isEmpty
        )

        let window = stage.window(showing: p)
        #expect(stage.events { p.view.addSubview(x.view) } == ["X.viewWillAppear", "X.viewDidAppear"])
        #expect(stage.events { x.view.removeFromSuperview() } == ["X.viewWillDisappear", "X.viewDidDisappear"])
        #expect(x.view.window == nil)
        #expect(window.isVisible)
    }

    @Test("a controller without a parent gets no callbacks when the container around its view leaves (5.8)")
    func bareControllerIsForgotten() {
        let p = stage.controller("P")
        let x = stage.controller("X")
        let window = stage.window(showing: p)
        p.view.addSubview(x.view)
        #expect(stage.events { window.rootViewController = nil } == ["P.viewWillDisappear", "P.viewDidDisappear"])
        #expect(stage.events { x.view.removeFromSuperview() } == ["X.viewWillDisappear", "X.viewDidDisappear"])
    }

    @Test("a controller that its container forgot appears again with its children after a release (4.14, 5.8)")
    func forgottenControllerReleasesItsView() {
        let (p, x, c) = (stage.controller("P"), stage.controller("X"), stage.controller("C"))
        let window = stage.window(showing: p)
        x.addChild(c)
        x.on["viewDidLoad"] = { [unowned c] in $0.view.addSubview(c.view) }
        p.view.addSubview(x.view)
        window.hide()
        x.releaseViewIfOffWindow()
        window.makeVisible()
        #expect(
            stage.events { p.view.addSubview(x.view) } == [
                "X.loadView", "X.viewDidLoad", "X.viewWillAppear", "C.viewWillAppear", "X.viewDidAppear",
                "C.viewDidAppear",
            ]
        )
    }

    @Test("a plain view moves together with the controllers in it")
    func boxOfControllers() {
        let p = stage.controller("P")
        let x = stage.controller("X")
        let c = stage.controller("C")
        let window = stage.window(showing: p)
        p.addChild(c)
        let box = View()
        box.addSubview(x.view)
        box.addSubview(c.view)
        #expect(
            stage.events { p.view.addSubview(box) } == [
                "X.viewWillAppear", "C.viewWillAppear", "X.viewDidAppear", "C.viewDidAppear",
            ]
        )
        #expect(
            stage.events { box.removeFromSuperview() } == [
                "X.viewWillDisappear", "C.viewWillDisappear", "X.viewDidDisappear", "C.viewDidDisappear",
            ]
        )
        #expect(window.rootViewController === p)
    }

    @Test("with forwarding off the container forwards to its children itself (5.9)")
    func manualForwarding() {
        let p = stage.controller("P")
        p.forwards = false
        let c = stage.controller("C")
        let window = stage.window(showing: p)
        p.addChild(c)
        #expect(
            stage.events {
                p.view.addSubview(c.view)
                c.trace.record("-")
                c.beginAppearanceTransition(true)
                c.endAppearanceTransition()
                window.rootViewController = nil
            } == [
                "C.loadView", "C.viewDidLoad", "-", "C.viewWillAppear", "C.viewDidAppear",
                "P.viewWillDisappear", "P.viewDidDisappear",
            ]
        )
    }

    @Test("a child that is added in its container's viewWillAppear appears with it, once (5.10)")
    func addedWhileAppearing() {
        let c = stage.controller("C")
        let p = stage.controller(
            "P",
            on: [
                "viewWillAppear": { p in
                    p.addChild(c)
                    p.view.addSubview(c.view)
                    c.didMove(toParent: p)
                }
            ]
        )
        let window = Window(host: stage.host)
        window.rootViewController = p
        #expect(
            stage.events { window.makeVisible() } == [
                "P.loadView", "P.viewDidLoad", "P.viewWillAppear", "C.willMove(P)", "C.loadView", "C.viewDidLoad",
                "C.viewWillAppear", "C.didMove(P)", "P.viewDidAppear", "C.viewDidAppear",
            ]
        )
    }

    @Test("forwarding off has no effect on a controller that is not a child (5.9)")
    func manualForwardingOfNoChild() {
        let p = stage.controller("P")
        p.forwards = false
        let x = stage.controller("X")
        let window = stage.window(showing: p)
        #expect(
            stage.events { p.view.addSubview(x.view) } == [
                "X.loadView", "X.viewDidLoad", "X.viewWillAppear", "X.viewDidAppear",
            ]
        )
        #expect(window.isVisible)
    }

    @Test("a container unloads its children's views with its own (5.12, 5.14)")
    func unloadingAContainer() {
        let g = stage.controller("G")
        let c = stage.controller("C", on: ["viewDidLoad": { $0.view.addSubview(g.view) }])
        c.addChild(g)
        let p = stage.controller("P", on: ["viewDidLoad": { $0.view.addSubview(c.view) }])
        p.addChild(c)
        _ = p.view
        #expect(
            stage.warn() == [
                "G.didReceiveMemoryWarning", "C.didReceiveMemoryWarning", "P.didReceiveMemoryWarning",
                "P.viewWillUnload", "P.viewDidUnload", "C.viewWillUnload", "C.viewDidUnload",
                "G.viewWillUnload", "G.viewDidUnload",
            ]
        )
        #expect(
            stage.events { _ = p.view } == [
                "P.loadView", "P.viewDidLoad", "C.loadView", "C.viewDidLoad", "G.loadView", "G.viewDidLoad",
            ]
        )
    }

    @Test("a child that cannot be made again is only detached from the container (5.12)")
    func childThatCannotBeMadeAgain() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        c.view = View()
        p.addChild(c)
        p.view.addSubview(c.view)
        #expect(
            stage.warn() == [
                "P.didReceiveMemoryWarning", "P.viewWillUnload", "P.viewDidUnload", "C.didReceiveMemoryWarning",
            ]
        )
        #expect(c.isViewLoaded)
        #expect(c.view.superview == nil)
    }

    @Test("the children are unloaded even if other code keeps the container's old view (5.12)")
    func oldContainerViewIsKept() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        p.view.addSubview(c.view)
        let kept: View = p.view
        _ = stage.warn()
        #expect(!c.isViewLoaded)
        #expect(kept.subviews.isEmpty)
    }

    @Test("only those children of a shown container that are off window are unloaded (4.8)")
    func childrenOfAShownContainer() {
        let p = stage.controller("P")
        let c1 = stage.controller("C1")
        let c2 = stage.controller("C2")
        let window = stage.window(showing: p)
        for child in [c1, c2] {
            p.addChild(child)
            p.view.addSubview(child.view)
        }
        c2.view.removeFromSuperview()
        #expect(
            stage.warn() == [
                "P.didReceiveMemoryWarning", "C1.didReceiveMemoryWarning", "C2.didReceiveMemoryWarning",
                "C2.viewWillUnload", "C2.viewDidUnload",
            ]
        )
        #expect(window.isVisible)
    }

    /// A container `P` in a window that is hidden again, and its children in a view inside, which have released their views
    /// at a warning.
    private func hiddenContainer(
        _ stage: Stage,
        _ names: [String]
    ) -> (inner: View, children: [RecordingController], window: Window) {
        let parent = stage.controller("P")
        let children = names.map { stage.controller($0) }
        let inner = View()
        parent.view.addSubview(inner)
        for child in children {
            parent.addChild(child)
            inner.addSubview(child.view)
            child.on["didReceiveMemoryWarning"] = { $0.releaseViewIfOffWindow() }
        }
        let window = stage.window(showing: parent)
        window.hide()
        _ = stage.warn()
        return (inner, children, window)
    }

    @Test("a child whose view was released stays away if its former place has left the container (5.14)")
    func placeThatIsGone() {
        let stage = Stage(policy: .keep)
        let (inner, children, window) = hiddenContainer(stage, ["C"])
        #expect(children.allSatisfy { !$0.isViewLoaded })
        inner.removeFromSuperview()
        #expect(stage.events { window.makeVisible() } == ["P.viewWillAppear", "P.viewDidAppear"])
        #expect(children.allSatisfy { !$0.isViewLoaded })
    }

    @Test("a child whose view was released returns to service with its container, in its former place (5.14)")
    func childThatGaveItsViewUp() {
        let stage = Stage(policy: .keep)
        let (inner, children, window) = hiddenContainer(stage, ["C1", "C2"])
        #expect(children.allSatisfy { !$0.isViewLoaded })
        let events = stage.events { window.makeVisible() }
        #expect(
            events.filter { $0.hasSuffix("viewDidAppear") } == [
                "P.viewDidAppear", "C1.viewDidAppear", "C2.viewDidAppear",
            ]
        )
        #expect(children.allSatisfy { $0.viewIfLoaded?.superview === inner })
    }

    @Test("a child that leaves its container while its view is loaded again does not return to its former place (5.14)")
    func childThatLeavesInItsLoad() {
        let stage = Stage(policy: .keep)
        let (inner, children, window) = hiddenContainer(stage, ["C1", "C2"])
        children[0].on["viewDidLoad"] = { $0.removeFromParent() }
        window.makeVisible()
        #expect(children[0].parent == nil && children[0].isViewLoaded)
        #expect(inner.subviews.count == 1 && inner.subviews[0] === children[1].viewIfLoaded)
    }

    @Test("a child that released its view and was replaced meanwhile does not return")
    func childThatWasReplaced() {
        let stage = Stage(policy: .keep)
        let p = stage.controller("P")
        let a = stage.controller("A")
        let b = stage.controller("B")
        for child in [a, b] { p.addChild(child) }
        p.view.addSubview(a.view)
        let window = stage.window(showing: p)
        window.hide()
        a.releaseViewIfOffWindow()
        p.transition(from: a, to: b)
        window.makeVisible()
        #expect(b.viewIfLoaded?.window === window)
        #expect(a.viewIfLoaded?.window == nil)
    }

    @Test("a container that shows one child names it, and shows it again after a warning", arguments: [false, true])
    func childForAppearance(isSwitched: Bool) {
        let stage = Stage()
        let a = stage.controller("A")
        let b = stage.controller("B")
        let pair = PairController(front: a, back: b)
        let window = stage.window(showing: pair)
        if isSwitched { pair.switchOver() }
        window.hide()
        _ = stage.warn()
        #expect(!pair.isViewLoaded)
        window.makeVisible()
        #expect(a.viewIfLoaded?.window === (isSwitched ? nil : window))
        #expect(b.viewIfLoaded?.window === (isSwitched ? window : nil))
    }
}

/// The container from the documentation.
private final class PairController: ViewController {
    private var front: ViewController
    private var back: ViewController

    init(front: ViewController, back: ViewController) {
        self.front = front
        self.back = back
        super.init(host: front.host)
        for child in [front, back] {
            addChild(child)
            child.didMove(toParent: self)
        }
    }

    override var childForAppearance: ViewController? { front }

    func switchOver() {
        swap(&front, &back)
        if !transition(from: back, to: front) { swap(&front, &back) }
    }
}
