import ResourceManager
import Testing

private final class Index: ViewController {}

@Suite(.onTwoThreads)
struct TraceRecorderTests {
    let stage = Stage()

    @Test("the transcript of one controller that is made, pushed and popped (3.9)")
    func transcript() {
        let navigation = NavigationController(host: stage.host, viewControllers: [ViewController(host: stage.host)])
        let window = stage.window(showing: navigation)
        let trace = TraceRecorder(stage.host)
        navigation.push(Index(host: stage.host))
        navigation.pop()
        #expect(
            trace.take().filter { $0.hasPrefix("Index") } == [
                "Index.init", "Index.willMove(NavigationController)", "Index.loadView", "Index.viewDidLoad",
                "Index.viewWillAppear", "Index.viewWillLayoutSubviews", "Index.viewDidLayoutSubviews",
                "Index.viewDidAppear", "Index.didMove(NavigationController)", "Index.willMove(nil)",
                "Index.viewWillDisappear", "Index.viewDidDisappear", "Index.didMove(nil)", "Index.deinit",
            ]
        )
        #expect(window.isVisible)
    }

    @Test("a title replaces the class, faults are recorded, and nothing is recorded after the recorder ends")
    func titleAndFaults() {
        let index = Index(host: stage.host)
        index.title = "terms"
        var trace: TraceRecorder? = TraceRecorder(stage.host)
        index.endAppearanceTransition()
        index.loadViewIfNeeded()
        stage.host.simulateMemoryWarning()
        #expect(
            trace?.events == [
                "fault:unbalancedAppearanceTransition", "terms.loadView", "terms.viewDidLoad",
                "terms.didReceiveMemoryWarning", "terms.viewWillUnload", "terms.viewDidUnload",
            ]
        )
        trace = nil
        var seen: [LifecycleEvent] = []
        let registration = stage.host.onLifecycleEvent { seen.append($0) }
        index.loadViewIfNeeded()
        registration.cancel()
        index.view = nil
        index.loadViewIfNeeded()
        #expect(seen.map(\.kind) == [.loadView, .viewDidLoad])
        #expect(seen.allSatisfy { $0.controllerID == ObjectIdentifier(index) && $0.detail == nil })
    }
}
