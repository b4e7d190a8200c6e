import ResourceManager
import Testing

private final class Listener: NavigationControllerDelegate {
    let trace: Trace
    init(_ trace: Trace) { self.trace = trace }

    func navigationController(_ navigation: NavigationController, willShow controller: ViewController) {
        trace.record("willShow(\((controller as? RecordingController)?.name ?? ""))")
    }

    func navigationController(_ navigation: NavigationController, didShow controller: ViewController) {
        trace.record("didShow(\((controller as? RecordingController)?.name ?? ""))")
    }
}

@Suite(.onTwoThreads)
struct NavigationControllerTests {
    let stage = Stage()

    private func shownStack(_ controllers: RecordingController...) -> (NavigationController, Window) {
        let navigation = NavigationController(host: stage.host, viewControllers: controllers)
        let window = stage.window(showing: navigation)
        return (navigation, window)
    }

    @Test("only the top is loaded and on window; those below are off window (5.15, 2.15)")
    func onlyTheTop() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let (navigation, window) = shownStack(a, b)
        #expect(!a.isViewLoaded)
        #expect(b.view.window === window)
        navigation.pop()
        #expect(a.view.window === window)
        #expect(b.view.superview == nil)
        #expect(b.parent == nil)
    }

    @Test("a stack that is not shown changes without loading anything (5.16)")
    func notShown() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let navigation = NavigationController(host: stage.host, viewControllers: [a])
        _ = navigation.view
        #expect(
            stage.events {
                navigation.push(b)
                navigation.pop()
            } == ["B.willMove(nil)", "B.didMove(nil)", "B.willMove(nil)", "B.didMove(nil)"]
        )
    }

    @Test("the delegate is notified of the new top after its callbacks (5.20)")
    func delegate() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let (navigation, window) = shownStack(a)
        let listener = Listener(stage.trace)
        navigation.delegate = listener
        #expect(
            stage.events { navigation.push(b) }.filter { !$0.contains("Move") } == [
                "B.loadView", "B.viewDidLoad", "A.viewWillDisappear", "B.viewWillAppear", "willShow(B)",
                "A.viewDidDisappear", "B.viewDidAppear", "didShow(B)",
            ]
        )
        #expect(stage.events { navigation.setViewControllers([b]) }.filter { $0.contains("Show") }.isEmpty)
        #expect(window.isVisible)
    }

    @Test("the delegate is not notified of controllers that are not shown (5.20)")
    func delegateOffWindow() {
        let (navigation, window) = shownStack(stage.controller("A"))
        let listener = Listener(stage.trace)
        navigation.delegate = listener
        window.hide()
        #expect(stage.events { navigation.push(stage.controller("B")) }.filter { $0.contains("Show") }.isEmpty)
    }

    @Test("the last controller cannot be popped, and popping to the top does nothing (5.17)")
    func last() {
        let a = stage.controller("A")
        let (navigation, window) = shownStack(a)
        let events = stage.events {
            #expect(navigation.pop() == nil)
            #expect(navigation.popToRoot().isEmpty)
            #expect(navigation.pop(to: a).isEmpty)
        }
        #expect(events.isEmpty)
        #expect(window.isVisible)
    }

    @Test("all controllers above are removed, and are notified from the bottom up, after the top (5.17)")
    func popTo() {
        let names = ["A", "B", "C", "D"]
        let all = names.map { stage.controller($0) }
        let (navigation, window) = shownStack(all[0], all[1], all[2], all[3])
        let events = stage.events {
            let removed = navigation.pop(to: all[0])
            #expect(removed.compactMap { ($0 as? RecordingController)?.name } == ["B", "C", "D"])
        }
        #expect(
            events.filter { $0.contains("Move") } == [
                "D.willMove(nil)", "B.willMove(nil)", "C.willMove(nil)",
                "B.didMove(nil)", "C.didMove(nil)", "D.didMove(nil)",
            ]
        )
        #expect(navigation.children.count == 1)
        #expect(window.isVisible)
    }

    @Test("the same controller twice is refused, and nothing changes (5.19)")
    func twice() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let (navigation, window) = shownStack(a)
        #expect(stage.events { navigation.setViewControllers([b, b]) } == ["fault:alreadyOnStack"])
        #expect(navigation.topViewController === a)
        #expect(b.parent == nil)
        #expect(window.isVisible)
    }

    @Test("a child that removes itself leaves the stack")
    func removesItself() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let navigation = NavigationController(host: stage.host, viewControllers: [a, b])
        b.removeFromParent()
        #expect(navigation.viewControllers.count == 1)
        #expect(navigation.topViewController === a)
    }

    @Test("a change during a change is refused; after the last callback it is not (3.22)")
    func nested() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let c = stage.controller("C")
        let d = stage.controller("D")
        let (navigation, window) = shownStack(a)
        b.on["viewWillAppear"] = { _ in navigation.push(c) }
        b.on["viewDidAppear"] = { _ in navigation.push(d) }
        #expect(stage.events { navigation.push(b) }.contains("fault:transitionInProgress"))
        #expect(navigation.viewControllers.map { ($0 as? RecordingController)?.name } == ["A", "B", "D"])
        #expect(d.view.window === window)
        #expect(c.parent == nil)
        #expect(navigation.children.count == 3)
    }

    @Test("a drain runs between the will- and did-callbacks, and other changes are refused meanwhile (3.22)")
    func drain() async {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let c = stage.controller("C")
        let (navigation, window) = shownStack(a)
        let trace = stage.trace
        await navigation.push(b) {
            trace.record("drain")
            #expect(a.view.window === window)
            #expect(b.view.window === window)
            navigation.push(c)
            await Task.yield()
        }
        #expect(
            trace.take().filter { !$0.contains("Move") } == [
                "B.loadView", "B.viewDidLoad", "A.viewWillDisappear", "B.viewWillAppear", "drain",
                "fault:transitionInProgress", "A.viewDidDisappear", "B.viewDidAppear",
            ]
        )
        let popped = await navigation.pop { trace.record("drain") }
        #expect(popped === b)
        #expect(a.view.window === window)
        #expect(
            trace.take().filter { !$0.contains("Move") } == [
                "B.viewWillDisappear", "A.viewWillAppear", "drain", "B.viewDidDisappear", "A.viewDidAppear",
            ]
        )
    }

    @Test("a child of another container moves; a window's root and a presented controller do not")
    func strangers() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let c = stage.controller("C")
        let (navigation, window) = shownStack(a)
        let other = NavigationController(host: stage.host, viewControllers: [b])
        navigation.push(b)
        #expect(other.viewControllers.isEmpty)
        #expect(navigation.topViewController === b)
        b.present(c, style: .overlay)
        #expect(stage.events { navigation.push(c) } == ["fault:hierarchyInconsistency"])
        #expect(navigation.topViewController === b)
        let root = stage.controller("R")
        let second = stage.window(showing: root)
        #expect(stage.events { navigation.push(root) } == ["fault:hierarchyInconsistency"])
        #expect(second.rootViewController === root && window.isVisible)
    }
}
