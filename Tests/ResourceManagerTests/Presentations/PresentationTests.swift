import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct PresentationTests {
    let stage = Stage()

    @Test("a full-screen presentation covers the presenter's whole tree, which returns afterwards (5.23, 5.24)")
    func fullScreen() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let navigation = NavigationController(host: stage.host, viewControllers: [a])
        let window = stage.window(showing: navigation)
        a.present(b)
        #expect(navigation.view.superview == nil)
        #expect(b.view.superview === window)
        #expect(a.presentedViewController === b)
        #expect(b.presentingViewController === a)
        b.on["viewDidDisappear"] = { controller in
            #expect(controller.presentingViewController == nil)
            #expect(controller.view.superview == nil)
        }
        a.dismiss()
        #expect(a.view.window === window)
        #expect(b.view.superview == nil)
        #expect(a.presentedViewController == nil)
    }

    @Test("dismissing a chain from its base makes the shown controllers disappear and the base return (5.28)")
    func chain() {
        let all = ["A", "B", "C", "D"].map { stage.controller($0) }
        let window = stage.window(showing: all[0])
        all[0].present(all[1])
        all[1].present(all[2])
        all[2].present(all[3], style: .overlay)
        #expect(
            stage.events { all[0].dismiss() } == [
                "D.viewWillDisappear", "C.viewWillDisappear", "A.viewWillAppear", "A.viewDidAppear",
                "D.viewDidDisappear", "C.viewDidDisappear",
            ]
        )
        #expect(all[0].view.window === window)
        #expect(all.dropFirst().allSatisfy { $0.presentingViewController == nil && $0.view.superview == nil })
    }

    @Test("a child of the presented controller dismisses it (5.26)")
    func dismissFromWithin() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let navigation = NavigationController(host: stage.host, viewControllers: [b])
        let window = stage.window(showing: a)
        a.present(navigation)
        var completions = 0
        b.dismiss { completions += 1 }
        #expect(completions == 1)
        #expect(a.view.window === window)
        #expect(stage.events { a.dismiss { completions += 1 } } == ["fault:nothingToDismiss"])
        #expect(completions == 1)
    }

    @Test("a child, a root or a presented controller cannot be presented, nor can the presenter's own container")
    func notFree() {
        let a = stage.controller("A")
        let c = stage.controller("C")
        let navigation = NavigationController(host: stage.host, viewControllers: [a])
        let window = stage.window(showing: navigation)
        let other = stage.controller("O")
        other.addChild(c)
        _ = stage.trace.take()
        #expect(
            stage.events {
                a.present(c)
                a.present(navigation)
                a.present(a)
            } == [String](repeating: "fault:hierarchyInconsistency", count: 3)
        )
        #expect(a.presentedViewController == nil)
        #expect(window.isVisible && other.children.count == 1)
    }

    @Test("hiding the window removes presented controllers, and showing it brings them back, but not the covered ones")
    func hiding() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let c = stage.controller("C")
        let window = stage.window(showing: a)
        a.present(b)
        b.present(c, style: .overlay)
        #expect(
            stage.events { window.hide() } == [
                "B.viewWillDisappear", "C.viewWillDisappear", "B.viewDidDisappear", "C.viewDidDisappear",
            ]
        )
        #expect(
            stage.events { window.makeVisible() } == [
                "B.viewWillAppear", "B.viewDidAppear", "C.viewWillAppear", "C.viewDidAppear",
            ]
        )
        #expect(a.view.window == nil)
        #expect(stage.events { b.dismiss() } == ["C.viewWillDisappear", "C.viewDidDisappear"])
        #expect(stage.events { window.hide() } == ["B.viewWillDisappear", "B.viewDidDisappear"])
        #expect(stage.events { a.dismiss() }.isEmpty)
        #expect(stage.events { window.makeVisible() } == ["A.viewWillAppear", "A.viewDidAppear"])
    }

    @Test("another root ends the presentations of the old one")
    func otherRoot() {
        let a = stage.controller("A")
        let r = stage.controller("R")
        weak var gone: ViewController?
        let window = stage.window(showing: a)
        do {
            let b = stage.controller("B")
            gone = b
            a.present(b)
        }
        #expect(
            stage.events { window.rootViewController = r } == [
                "B.viewWillDisappear", "B.viewDidDisappear", "R.loadView", "R.viewDidLoad", "R.viewWillAppear",
                "R.viewDidAppear", "B.deinit",
            ]
        )
        #expect(gone == nil)
        #expect(a.presentedViewController == nil)
    }

    @Test("a destroyed presenter takes the controllers that only it kept out of the window, without callbacks (6.4)")
    func presenterGoes() {
        let root = stage.controller("R")
        let window = stage.window(showing: root)
        do {
            let a = stage.controller("A")
            window.addSubview(a.view)
            a.present(stage.controller("B"), style: .overlay)
            #expect(window.subviews.count == 3)
            _ = stage.trace.take()
        }
        // The test put the presenter's view into the window, so the window keeps only that view (rule 5.33).
        #expect(window.subviews.count == 2)
        #expect(stage.trace.take() == ["A.deinit", "B.deinit"])
    }

    @Test("a controller that leaves its container ends its presentations")
    func presenterLeaves() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let c = stage.controller("C")
        let navigation = NavigationController(host: stage.host, viewControllers: [a, b])
        let window = stage.window(showing: navigation)
        b.present(c)
        #expect(
            stage.events { navigation.pop() }.filter { !$0.contains("Move") } == [
                "A.loadView", "A.viewDidLoad", "C.viewWillDisappear", "A.viewWillAppear", "A.viewDidAppear",
                "C.viewDidDisappear",
            ]
        )
        #expect(a.view.window === window)
        #expect(c.presentingViewController == nil)
    }

    @Test("the presentation controller is notified of each step and of layout (3.8)")
    func presentationController() {
        let a = stage.controller("A")
        let b = SteppingController(host: stage.host)
        b.at = { [trace = stage.trace] step, _ in trace.record(step.rawValue) }
        let window = stage.window(showing: a)
        #expect(
            stage.events { a.present(b) { stage.trace.record("completion") } } == [
                "willPresent", "A.viewWillDisappear", "willLayout", "didLayout", "A.viewDidDisappear", "didPresent",
                "completion",
            ]
        )
        #expect(
            stage.events { a.dismiss { stage.trace.record("completion") } } == [
                "willDismiss", "A.viewWillAppear", "A.viewDidAppear", "didDismiss", "completion",
            ]
        )
        #expect(window.isVisible)
    }

    @Test("a presenter that was unloaded meanwhile is loaded before any controller disappears (5.29)")
    func unloadedMeanwhile() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let window = stage.window(showing: a)
        a.present(b)
        #expect(stage.warn().contains("A.viewDidUnload"))
        #expect(
            stage.events { a.dismiss() } == [
                "A.loadView", "A.viewDidLoad", "B.viewWillDisappear", "A.viewWillAppear", "A.viewDidAppear",
                "B.viewDidDisappear",
            ]
        )
        #expect(a.view.window === window)
    }

    @Test("a controller does not present itself")
    func itself() {
        let a = stage.controller("A")
        let window = stage.window()
        window.addSubview(a.view)
        #expect(stage.events { a.present(a) } == ["fault:hierarchyInconsistency"])
    }

    @Test("a covered tree that was unloaded stays unloaded if it is uncovered in a hidden window (5.29)")
    func hiddenDismissal() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let window = stage.window(showing: a)
        a.present(b)
        window.hide()
        _ = stage.warn()
        #expect(stage.events { a.dismiss() }.isEmpty)
        #expect(!a.isViewLoaded)
    }

    @Test("presentations by a tab or a child end when a presenter below is dismissed (5.28)")
    func presentedByAChild() {
        let a = stage.controller("A")
        let inner = stage.controller("I")
        let navigation = NavigationController(host: stage.host, viewControllers: [inner])
        let top = stage.controller("T")
        let window = stage.window(showing: a)
        a.present(navigation)
        inner.present(top)
        #expect(
            stage.events { a.dismiss() } == [
                "T.viewWillDisappear", "A.viewWillAppear", "A.viewDidAppear", "T.viewDidDisappear",
            ]
        )
        #expect(window.subviews.count == 1)
        #expect(inner.presentedViewController == nil)
    }

    @Test("a presentation controller that is returned again refuses the second presentation")
    func usedPresentationController() {
        final class Keeping: ViewController {
            var kept: PresentationController?
            override func makePresentationController(
                presenting presenter: ViewController,
                style: PresentationStyle
            ) -> PresentationController {
                let presentation = kept ?? PresentationController(presented: self, presenting: presenter, style: style)
                kept = presentation
                return presentation
            }
        }
        let (a, b) = (stage.controller("A"), Keeping(host: stage.host))
        let window = stage.window(showing: a)
        a.present(b)
        a.dismiss()
        #expect(stage.events { a.present(b) } == ["fault:hierarchyInconsistency"])
        #expect(a.presentedViewController == nil && a.view.window === window)
    }
}
