import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnctl

struct WatchEventTests {
    @Test("a level reported again is shown as a repetition, unless it is normal or its scope was gone meanwhile")
    func repeatedLevel() {
        var levels = AnnouncedLevels()
        func event(_ path: String, _ level: PressureLevel, _ state: RecordState = .present) -> WatchEvent {
            .scope(ScopeRecord { ($0.path, $0.level, $0.state) = (path, level, state) })
        }
        let events = [
            event("/", .normal), event("/", .normal), event("/", .warning), event("/a", .warning), event("/", .warning),
            event("/", .critical), event("/a", .warning, .gone), event("/a", .warning),
        ]
        #expect(events.map { levels.note($0) } == [false, true, false, false, true, false, false, false])
        #expect(event("/", .warning).text(isRepeat: true).hasSuffix(" scope / is still warning"))
        #expect(event("/", .normal).isCalm && !event("/", .warning).isCalm && !event("/", .normal, .gone).isCalm)
        #expect(event("/", .warning).text().hasSuffix(" scope / is warning"))
    }
}
