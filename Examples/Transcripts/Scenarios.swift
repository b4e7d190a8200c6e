import ResourceManager

private final class IndexController: ViewController {
    override func loadView() { view = View() }
}
private final class SessionController: ViewController {
    override func loadView() { view = View() }
}
private final class QueryController: ViewController {
    override func loadView() { view = View() }
}

/// The scenes of the documentation's pictures.
enum Scenarios {
    /// The scenes by the names of the pictures.
    static let all: [(name: String, play: @Sendable () -> Transcript)] = [
        ("load-cycle", loadCycle), ("unload-cycle", unloadCycle), ("push", push),
    ]

    private static func loadCycle() -> Transcript {
        let host = ControllerHost("load")
        let transcriber = Transcriber(host)
        let window = Window(host: host)
        var index: IndexController?
        transcriber.step("index = IndexController(host: host)") { index = IndexController(host: host) }
        guard let index else { preconditionFailure("the step before has made it") }
        transcriber.watch(index)
        transcriber.step("index.view") { _ = index.view }
        transcriber.step("window.rootViewController = index") { window.rootViewController = index }
        transcriber.step("window.makeVisible()") { window.makeVisible() }
        transcriber.step("index.view") { _ = index.view }
        return transcriber.transcript(
            "The view is loaded by the first access, goes on window with the window, and a further access calls nothing.",
            lanes: ["IndexController"]
        )
    }

    private static func unloadCycle() -> Transcript {
        let (host, navigation, session) = stack("unload")
        let window = visibleWindow(of: navigation)
        let transcriber = Transcriber(host)
        navigation.push(QueryController(host: host))
        if let query = navigation.topViewController { transcriber.watch(session, query) }
        transcriber.step("host.simulateMemoryWarning()") { host.simulateMemoryWarning() }
        transcriber.step("navigation.pop()") { navigation.pop() }
        withExtendedLifetime(window) {}
        return transcriber.transcript(
            "A warning unloads the covered controller and degrades the shown one; the pop loads the covered one again.",
            lanes: ["SessionController", "QueryController"]
        )
    }

    private static func push() -> Transcript {
        let (host, navigation, session) = stack("push")
        let window = visibleWindow(of: navigation)
        let transcriber = Transcriber(host)
        let query = QueryController(host: host)
        transcriber.watch(session, query)
        transcriber.step("navigation.push(query)") { navigation.push(query) }
        withExtendedLifetime(window) {}
        return transcriber.transcript(
            "The new controller is loaded first; then both are told, the views change places, and both are told again.",
            lanes: ["SessionController", "QueryController"]
        )
    }

    private static func stack(_ name: String) -> (ControllerHost, NavigationController, SessionController) {
        let host = ControllerHost(name)
        let session = SessionController(host: host)
        let navigation = NavigationController(host: host, viewControllers: [session])
        navigation.title = "navigation"
        return (host, navigation, session)
    }

    private static func visibleWindow(of root: ViewController) -> Window {
        let window = Window(host: root.host)
        window.rootViewController = root
        window.makeVisible()
        return window
    }
}
