import ResourceManager
import Testing

/// Overrides all callbacks without calling `super`.
private final class Forgetful: ViewController {
    var trace: Trace?
    override func viewDidLoad() { trace?.record("didLoad") }
    override func viewWillAppear() { trace?.record("willAppear") }
    override func viewDidAppear() { trace?.record("didAppear") }
    override func viewWillDisappear() { trace?.record("willDisappear") }
    override func viewDidDisappear() { trace?.record("didDisappear") }
    override func viewWillLayoutSubviews() { trace?.record("willLayout") }
    override func viewDidLayoutSubviews() { trace?.record("didLayout") }
    override func willMove(toParent parent: ViewController?) {}
    override func didMove(toParent parent: ViewController?) {}
}

/// The ways in which controllers come into service and leave it.
@Suite(.onTwoThreads)
struct ServiceTests {
    let stage = Stage()

    private static let appearance = ["X.loadView", "X.viewDidLoad", "X.viewWillAppear", "X.viewDidAppear"]

    @Test("a controller is shown as a root, as a child, presented, or by its view alone (5.30)")
    func fourWays() {
        let root = stage.controller("X")
        let window = Window(host: stage.host)
        window.rootViewController = root
        #expect(stage.events { window.makeVisible() } == Self.appearance)

        let child = stage.controller("X")
        root.addChild(child)
        #expect(stage.events { root.view.addSubview(child.view) } == Self.appearance)

        let bare = stage.controller("X")
        #expect(stage.events { window.addSubview(bare.view) } == Self.appearance)

        let presented = stage.controller("X")
        #expect(stage.events { root.present(presented, style: .overlay) } == Self.appearance)
        #expect([root, child, bare, presented].allSatisfy { $0.view.window === window })
    }

    @Test("the view is loaded before viewWillAppear, and the state changes before its callback (3.1, 3.2, 3.21)")
    func stateFirst() {
        let a = stage.controller("A")
        a.on["viewWillAppear"] = { a in
            #expect(a.isViewLoaded)
            // The transition is under way already: one more begin in its direction only needs one more end.
            a.beginAppearanceTransition(true)
            a.endAppearanceTransition()
        }
        let window = Window(host: stage.host)
        window.rootViewController = a
        // When the call returns, all callbacks have been called.
        #expect(
            stage.events { window.makeVisible() } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
    }

    @Test("overrides that do not call super work nevertheless, and so do those of children (3.20)")
    func forgetfulOverrides() {
        let container = Forgetful(host: stage.host)
        let child = stage.controller("C")
        container.trace = stage.trace
        container.addChild(child)
        container.view.addSubview(child.view)
        let window = Window(host: stage.host)
        window.rootViewController = container
        #expect(
            stage.events {
                window.makeVisible()
                window.hide()
            } == [
                "willAppear", "C.viewWillAppear", "willLayout", "didLayout", "didAppear", "C.viewDidAppear",
                "willDisappear", "C.viewWillDisappear", "didDisappear", "C.viewDidDisappear",
            ]
        )
        #expect(stage.warn().contains("C.viewDidUnload"))
    }

    @Test("will- and did-callbacks need not pair: a reversed transition has no did-callback (3.18)")
    func unpaired() {
        let a = stage.controller("A")
        a.on["viewWillAppear"] = { $0.beginAppearanceTransition(false) }
        a.loadViewIfNeeded()
        #expect(
            stage.events {
                a.beginAppearanceTransition(true)
                a.endAppearanceTransition()
            } == ["A.viewWillAppear", "A.viewWillDisappear", "A.viewDidDisappear"]
        )
    }
}
