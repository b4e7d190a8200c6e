import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct NotificationTests {
    private struct IndexBuilt: Equatable { var terms: Int }
    let stage = Stage()

    @Test("observers only receive their type, in order of registration, as long as they are registered (row 48)")
    func typed() {
        var heard: [String] = []
        let first = stage.host.onNotification(IndexBuilt.self) { heard.append("first \($0.terms)") }
        let second = stage.host.onNotification(IndexBuilt.self) { heard.append("second \($0.terms)") }
        let other = stage.host.onNotification(String.self) { heard.append($0) }
        stage.host.post(IndexBuilt(terms: 3))
        stage.host.post("text")
        stage.host.post(3.5)
        first.cancel()
        stage.host.post(IndexBuilt(terms: 4))
        #expect(heard == ["first 3", "second 3", "text", "second 4"])
        withExtendedLifetime((second, other)) {}
    }

    @Test("the memory warning is a notification (4.26)")
    func memoryWarning() {
        var levels: [String] = []
        let registration = stage.host.onNotification(MemoryWarning.self) { levels.append("\($0.level)") }
        stage.host.simulateMemoryWarning(.critical)
        #expect(levels == ["critical"])
        withExtendedLifetime(registration) {}
    }
}
