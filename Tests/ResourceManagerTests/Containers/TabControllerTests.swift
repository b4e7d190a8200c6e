import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct TabControllerTests {
    let stage = Stage()

    @Test("all tabs are children from the start, and are notified of it (5.22)")
    func children() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        var tabs: TabController?
        #expect(
            stage.events { tabs = TabController(host: stage.host, viewControllers: [a, b]) } == [
                "A.willMove(nil)", "B.willMove(nil)", "A.didMove(nil)", "B.didMove(nil)",
            ]
        )
        #expect(a.parent === tabs)
        #expect(tabs?.children.count == 2)
    }

    @Test("the deselected controller leaves the window and keeps its view until memory is short (5.21)")
    func select() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        #expect(stage.events { tabs.selectedIndex = 1 }.isEmpty)
        tabs.selectedIndex = 0
        let window = stage.window(showing: tabs)
        tabs.selectedIndex = 1
        #expect(a.view.superview == nil)
        #expect(b.view.window === window)
        #expect(stage.warn().contains("A.viewDidUnload"))
        #expect(tabs.selectedViewController === b)
    }

    @Test("the deselected controller leaves although the program has put the selected one's view there already (5.21)")
    func selectPlaced() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        let window = stage.window(showing: tabs)
        tabs.view.addSubview(b.view)
        tabs.selectedIndex = 1
        #expect(a.view.superview == nil)
        #expect(b.view.window === window)
    }

    @Test("when the tabs are replaced, the shown one stays if it is among the new ones")
    func replace() {
        let all = ["A", "B", "C"].map { stage.controller($0) }
        let tabs = TabController(host: stage.host, viewControllers: [all[0], all[1]])
        tabs.selectedIndex = 1
        let window = stage.window(showing: tabs)
        #expect(
            stage.events { tabs.setViewControllers([all[2], all[1]]) } == [
                "C.willMove(nil)", "A.willMove(nil)", "A.didMove(nil)", "C.didMove(nil)",
            ]
        )
        #expect(tabs.selectedIndex == 1)
        tabs.setViewControllers([all[2]])
        #expect(all[2].view.window === window)
        #expect(all[1].parent == nil)
        tabs.setViewControllers([])
        #expect(tabs.selectedViewController == nil)
        #expect(window.isVisible)
    }

    @Test("the selection stays with its controller when another controller is removed")
    func leaves() {
        let all = ["A", "B", "C"].map { stage.controller($0) }
        let tabs = TabController(host: stage.host, viewControllers: all)
        tabs.selectedIndex = 1
        all[0].removeFromParent()
        #expect(tabs.selectedViewController === all[1])
        all[2].removeFromParent()
        #expect(tabs.selectedViewController === all[1])
    }

    @Test("a selected tab that is removed is followed by the next one, or by the previous one if it was the last")
    func selectedLeaves() {
        let all = ["A", "B", "C", "D"].map { stage.controller($0) }
        let tabs = TabController(host: stage.host, viewControllers: all)
        tabs.selectedIndex = 1
        all[1].removeFromParent()
        #expect(tabs.selectedViewController === all[2])
        tabs.selectedIndex = 0
        all[0].removeFromParent()
        #expect(tabs.selectedViewController === all[2])
        tabs.selectedIndex = 1
        all[3].removeFromParent()
        #expect(tabs.selectedViewController === all[2])
    }

    @Test("the transition waits for a drain of the outgoing controller (3.22)")
    func drain() async {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        let window = stage.window(showing: tabs)
        let trace = stage.trace
        await tabs.select(1) {
            trace.record("drain")
            tabs.selectedIndex = 0
        }
        #expect(
            trace.take() == [
                "B.loadView", "B.viewDidLoad", "A.viewWillDisappear", "B.viewWillAppear", "drain",
                "fault:transitionInProgress", "A.viewDidDisappear", "B.viewDidAppear",
            ]
        )
        #expect(window.isVisible)
    }
}
