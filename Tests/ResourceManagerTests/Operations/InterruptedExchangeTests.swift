import Testing

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
}
