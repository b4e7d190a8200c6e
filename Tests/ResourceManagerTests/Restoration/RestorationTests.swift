import ResourceManager
import Testing

private final class Reader: ViewController {
    var position = 0
    var cursor = 0
    override func saveViewState(in state: inout Properties) { state["cursor"] = cursor }
    override func restoreViewState(from state: Properties) { cursor = state["cursor"] ?? -1 }
    override func encodeRestorableState(in state: inout Properties) { state["position"] = position }
    override func decodeRestorableState(from state: Properties) { position = state["position"] ?? -1 }
}

private final class Delegate: ControllerHostDelegate {
    var paths: [[String]] = []
    func controllerHost(_ host: ControllerHost, controllerForRestorationPath path: [String]) -> ViewController? {
        paths.append(path)
        guard path.last == "made" else { return nil }
        let reader = Reader(host: host)
        reader.restorationIdentifier = "made"
        return reader
    }
}

@Suite(.onTwoThreads)
struct RestorationTests {
    let stage = Stage()

    init() {
        stage.host.classes.register(Reader.init(coder:))
        stage.host.archives = Catalogue(storyboards: [
            "Main": StoryboardArchive(
                initialScene: "tabs",
                scenes: [
                    "tabs": SceneArchive(
                        className: "TabController",
                        properties: Properties(["restorationIdentifier": .string("tabs")]),
                        children: ["stack", "other"]
                    ),
                    "stack": SceneArchive(
                        className: "NavigationController",
                        properties: Properties(["restorationIdentifier": .string("stack")]),
                        children: ["reader"]
                    ),
                    "other": SceneArchive(properties: Properties(["restorationIdentifier": .string("other")])),
                    "reader": SceneArchive(
                        className: "Reader",
                        properties: Properties(["restorationIdentifier": .string("reader")]),
                        segues: ["next": SegueArchive(to: "reader")]
                    ),
                ]
            )
        ])
    }

    private func window() throws -> (Window, TabController, NavigationController) {
        let window = try #require(stage.host.launch(storyboard: "Main"))
        let tabs = try #require(window.rootViewController as? TabController)
        return (window, tabs, try #require(tabs.viewControllers[0] as? NavigationController))
    }

    @Test("a restart restores the selection, the stack and the state of each controller (5.40)")
    func roundTrip() throws {
        let state: Properties
        do {
            let (window, tabs, stack) = try window()
            window.makeVisible()
            (stack.topViewController as? Reader)?.position = 1
            stack.topViewController?.performSegue(withIdentifier: "next")
            (stack.topViewController as? Reader)?.position = 2
            tabs.selectedIndex = 1
            state = window.restorableState()
        }
        let (window, tabs, stack) = try window()
        #expect(window.restore(from: state))
        #expect(tabs.selectedIndex == 1)
        #expect(stack.viewControllers.map { ($0 as? Reader)?.position } == [1, 2])
        #expect(stack.viewControllers.allSatisfy { !$0.isViewLoaded })
        #expect(stack.viewControllers.allSatisfy { $0.restorationIdentifier == "reader" })
    }

    @Test("a view's state is restored at its first load after the restart, even if it was unloaded before (4.17)")
    func viewState() throws {
        let state: Properties
        do {
            let (window, _, stack) = try window()
            window.makeVisible()
            let lower = try #require(stack.topViewController as? Reader)
            lower.cursor = 5
            lower.performSegue(withIdentifier: "next")
            (stack.topViewController as? Reader)?.cursor = 6
            stage.host.simulateMemoryWarning()
            #expect(!lower.isViewLoaded)
            lower.cursor = 0
            state = window.restorableState()
        }
        let (window, _, stack) = try window()
        #expect(window.restore(from: state))
        let readers = stack.viewControllers.compactMap { $0 as? Reader }
        #expect(readers.map(\.cursor) == [0, 0])
        for reader in readers { reader.loadViewIfNeeded() }
        #expect(readers.map(\.cursor) == [5, 6])
    }

    @Test("only controllers with an identifier are saved, and only below parents that have one (5.40)")
    func identifiers() throws {
        let root = NavigationController(host: stage.host)
        let named = Reader(host: stage.host)
        named.restorationIdentifier = "named"
        let window = Window(host: stage.host)
        root.setViewControllers([Reader(host: stage.host), named])
        window.rootViewController = root
        #expect(window.restorableState().isEmpty)
        root.restorationIdentifier = "root"
        let node: Properties? = window.restorableState()["root"]
        let children: [Properties]? = node?["children"]
        #expect(children?.map { $0["identifier"] } == ["named"])
    }

    @Test(
        "the delegate makes a missing controller, by its path; one that cannot be made is left out"
    )
    func delegate() throws {
        let delegate = Delegate()
        stage.host.delegate = delegate
        let root = NavigationController(host: stage.host)
        root.restorationIdentifier = "root"
        let window = Window(host: stage.host)
        window.rootViewController = root
        func node(_ identifier: String) -> Properties { Properties(["identifier": .string(identifier)]) }
        var saved = node("root")
        saved["children"] = [node("made"), node("forgotten")]
        #expect(window.restore(from: Properties(["root": .object(saved)])))
        #expect(root.viewControllers.map(\.restorationIdentifier) == ["made"])
        #expect(delegate.paths == [["root", "made"], ["root", "forgotten"]])
    }

    @Test("a root without an identifier restores nothing, even from a state without one")
    func withoutIdentifier() {
        let window = Window(host: stage.host)
        window.rootViewController = Reader(host: stage.host)
        #expect(!window.restore(from: Properties(["root": .object(Properties())])))
        #expect(window.restorableState().isEmpty)
    }

    @Test("a controller that is made again from its scene has the identifier under which it was saved (5.40)")
    func identifierGivenInCode() throws {
        let state: Properties
        do {
            let (window, _, stack) = try window()
            let page = try #require(stack.storyboard?.instantiate(withIdentifier: "reader"))
            page.restorationIdentifier = "given in code"
            stack.push(page)
            state = window.restorableState()
        }
        let (window, _, stack) = try window()
        #expect(window.restore(from: state))
        #expect(stack.viewControllers.map(\.restorationIdentifier) == ["reader", "given in code"])
    }

    @Test("a container restores its own state when its children exist again (5.40)")
    func childrenFirst() {
        final class Stack: NavigationController {
            var count: Int?
            override func decodeRestorableState(from state: Properties) { count = viewControllers.count }
        }
        let delegate = Delegate()
        stage.host.delegate = delegate
        let root = Stack(host: stage.host)
        root.restorationIdentifier = "root"
        let window = Window(host: stage.host)
        window.rootViewController = root
        var saved = Properties(["identifier": .string("root")])
        saved["children"] = [Properties(["identifier": .string("made")])]
        saved["state"] = Properties(["x": .integer(1)])
        #expect(window.restore(from: Properties(["root": .object(saved)])))
        #expect(root.count == 1)
    }

    @Test("nothing is made for a container whose children exist from the start (5.40)")
    func tabsMakeNothing() {
        let delegate = Delegate()
        stage.host.delegate = delegate
        let (window, tabs) = tabs(["a"])
        var saved = Properties(["identifier": .string("tabs")])
        saved["children"] = [Properties(["identifier": .string("made")])]
        #expect(window.restore(from: Properties(["root": .object(saved)])))
        #expect(delegate.paths.isEmpty)
        #expect(tabs.viewControllers.map(\.restorationIdentifier) == ["a"])
    }

    @Test("the state of a view is for the next view that is loaded, and not for a loaded one (4.17)")
    func loadedView() throws {
        let state: Properties
        do {
            let (window, _, stack) = try window()
            window.makeVisible()
            (stack.topViewController as? Reader)?.cursor = 5
            state = window.restorableState()
        }
        let (window, _, stack) = try window()
        let reader = try #require(stack.topViewController as? Reader)
        reader.loadViewIfNeeded()
        reader.cursor = 7
        #expect(window.restore(from: state))
        reader.view = nil
        reader.loadViewIfNeeded()
        #expect(reader.cursor == 7)
    }

    @Test("a different root restores nothing, and neither does a root whose window is visible")
    func refused() throws {
        let (window, tabs, _) = try window()
        let state = window.restorableState()
        tabs.restorationIdentifier = "others"
        #expect(!window.restore(from: state))
        #expect(!window.restore(from: Properties(["root": .string("damaged")])))
        tabs.restorationIdentifier = "tabs"
        window.makeVisible()
        #expect(!window.restore(from: state))
        window.hide()
        #expect(window.restore(from: state))
    }

    /// Makes tabs with these identifiers; an empty text stands for no identifier.
    private func tabs(_ identifiers: [String]) -> (Window, TabController) {
        let tabs = TabController(
            host: stage.host,
            viewControllers: identifiers.map { identifier in
                let controller = Reader(host: stage.host)
                controller.restorationIdentifier = identifier.isEmpty ? nil : identifier
                return controller
            }
        )
        tabs.restorationIdentifier = "tabs"
        let window = Window(host: stage.host)
        window.rootViewController = tabs
        return (window, tabs)
    }

    @Test(
        "the selected tab is found by its identifier at any position, and by its position only if it has no identifier (5.40)",
        arguments: [
            (["a", "b", "c"], 2, ["new", "a", "b", "c"], 3), (["a", "b", "c"], 2, ["c", "a"], 0),
            (["a", "b", "c"], 2, ["a", "b", "d"], 0), (["a", "", "c"], 1, ["a", "b", "c"], 1),
            (["a", "", "c"], 1, ["a"], 0), (["a", "a", "a"], 1, ["a", "a", "a"], 1),
            (["a", "b", "a"], 2, ["b", "a"], 1),
        ]
    )
    func selection(before: [String], selected: Int, after: [String], expected: Int) {
        let (window, old) = tabs(before)
        old.selectedIndex = selected
        let (again, new) = tabs(after)
        #expect(again.restore(from: window.restorableState()))
        #expect(new.selectedIndex == expected)
    }

    @Test("a selection from an earlier version is found by its position")
    func earlierSelection() {
        let state = Properties(["root": .object(Properties(["identifier": .string("tabs"), "shown": .integer(2)]))])
        let (window, tabs) = tabs(["a", "b", "c"])
        #expect(window.restore(from: state))
        #expect(tabs.selectedIndex == 2)
        // The state contains the key that an earlier version looks for.
        let node: Properties? = window.restorableState()["root"]
        #expect(node?["shown"] == 2)
    }

    @Test("controllers without an identifier stay at the bottom of their stack, in their order (5.40)")
    func stack() throws {
        let delegate = Delegate()
        stage.host.delegate = delegate
        func service(_ identifiers: [String]) -> (Window, NavigationController) {
            let controllers = identifiers.map { identifier in
                let reader = Reader(host: stage.host)
                reader.title = identifier
                reader.restorationIdentifier = identifier.hasPrefix("-") ? nil : identifier
                return reader
            }
            let stack = NavigationController(host: stage.host, viewControllers: controllers)
            stack.restorationIdentifier = "stack"
            let window = Window(host: stage.host)
            window.rootViewController = stack
            return (window, stack)
        }
        let (window, _) = service(["-root", "named", "-between", "made"])
        let state = window.restorableState()
        let (again, stack) = service(["-root", "-second", "named", "gone"])
        #expect(again.restore(from: state))
        #expect(
            stack.viewControllers.map { $0.restorationIdentifier ?? $0.title } == ["-root", "-second", "named", "made"]
        )
    }

    @Test("a scene that is made again is made for its window's environment (5.40)")
    func environment() throws {
        stage.host.archives = Catalogue(storyboards: [
            "Main": StoryboardArchive(
                initialScene: "stack",
                scenes: [
                    "stack": SceneArchive(
                        className: "NavigationController",
                        properties: Properties(["restorationIdentifier": .string("stack")]),
                        children: ["reader"]
                    ),
                    "reader": SceneArchive(
                        properties: Properties(["restorationIdentifier": .string("reader")]),
                        segues: ["more": SegueArchive(to: "detail")]
                    ),
                    "detail": SceneArchive(
                        properties: Properties(["restorationIdentifier": .string("detail"), "title": .string("full")]),
                        variants: [
                            ArchiveVariant(
                                when: EnvironmentCondition(mode: "ro"),
                                properties: Properties(["title": .string("read-only")])
                            )
                        ]
                    ),
                ]
            )
        ])
        func launch() throws -> (Window, NavigationController) {
            let window = try #require(stage.host.launch(storyboard: "Main"))
            #expect(window.changeMode(to: "ro"))
            return (window, try #require(window.rootViewController as? NavigationController))
        }
        let (window, stack) = try launch()
        window.makeVisible()
        stack.topViewController?.performSegue(withIdentifier: "more")
        let (again, restored) = try launch()
        #expect(again.restore(from: window.restorableState()))
        #expect(restored.viewControllers.map(\.title) == [nil, "read-only"])
    }
}
