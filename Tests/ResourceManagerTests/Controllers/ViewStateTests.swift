import ResourceManager
import Testing

private final class Reader: ViewController {
    var position = 0
    var log: [String] = []

    override func viewDidLoad() {
        position = 0
        log.append("didLoad")
    }
    override func viewWillUnload() { log.append("willUnload") }
    override func viewDidUnload() { log.append("didUnload") }

    override func saveViewState(in state: inout Properties) {
        log.append("save")
        if position != 0 { state["position"] = position }
    }

    override func restoreViewState(from state: Properties) {
        log.append("restore")
        position = state["position"] ?? -1
    }
}

@Suite(.onTwoThreads)
struct ViewStateTests {
    @Test("state that only the view has is saved before an unload and restored after the next load (4.17)")
    func unload() {
        let stage = Stage()
        let reader = Reader(host: stage.host)
        reader.loadViewIfNeeded()
        reader.position = 7
        stage.host.simulateMemoryWarning()
        #expect(!reader.isViewLoaded)
        reader.loadViewIfNeeded()
        #expect(reader.position == 7)
        #expect(reader.log == ["didLoad", "willUnload", "save", "didUnload", "didLoad", "restore"])
    }

    @Test("without saved state nothing is restored, and a saved state is restored once")
    func nothing() {
        let stage = Stage()
        let reader = Reader(host: stage.host)
        reader.loadViewIfNeeded()
        stage.host.simulateMemoryWarning()
        reader.loadViewIfNeeded()
        reader.position = 3
        reader.releaseViewIfOffWindow()
        reader.loadViewIfNeeded()
        reader.view = nil
        reader.loadViewIfNeeded()
        #expect(
            reader.log == [
                "didLoad", "willUnload", "save", "didUnload", "didLoad", "save", "didLoad", "restore", "didLoad",
            ]
        )
    }
}
