import Synchronization
import Testing

@testable import ResourceManager

struct ReclaimerTests {
    private final class Calls: Sendable {
        let names = Mutex<[String]>([])
    }

    private final class Responder: Reclaimable {
        let name: String
        let calls: Calls
        let totalCost = 5

        init(_ name: String, _ calls: Calls) {
            self.name = name
            self.calls = calls
        }

        func reclaim(for level: PressureLevel) -> Int {
            calls.names.withLock { $0.append("\(name)(\(level))") }
            return 1
        }
    }

    @Test("responders answer in order of creation, and the dead do not")
    func order() {
        let reclaimer = Reclaimer()
        let calls = Calls()
        var responders = ["a", "b", "c"].map { Responder($0, calls) }
        for responder in responders { reclaimer.register(responder) }
        responders.remove(at: 1)
        #expect(reclaimer.reclaim(for: MemoryWarning(level: .critical)) == 2)
        #expect(calls.names.withLock { $0 } == ["a(critical)", "c(critical)"])
    }

    @Test("a round is answered once, and what has no round each time")
    func rounds() {
        let reclaimer = Reclaimer()
        let responder = Responder("a", Calls())
        reclaimer.register(responder)
        let answers = [0, 0, 7, 7, 8, 0].map { reclaimer.reclaim(for: MemoryWarning(level: .warning, round: $0)) }
        #expect(answers == [1, 1, 1, 0, 1, 1])
        withExtendedLifetime(responder) {}
    }

    @Test("another daemon's first round is a new one, though it has the old number")
    func anotherDaemon() {
        let reclaimer = Reclaimer()
        let responder = Responder("a", Calls())
        reclaimer.register(responder)
        #expect(reclaimer.reclaim(for: MemoryWarning(level: .warning, round: 1)) == 1)
        reclaimer.forgetRounds()
        #expect(reclaimer.reclaim(for: MemoryWarning(level: .warning, round: 1)) == 1)
        #expect(reclaimer.releasableBytes == 5)
    }

    // In a process of its own, whose caches no other test's warnings reach.
    @Test("a cache hears of any host's warning by itself, and its registration does not keep it alive")
    func processWide() async {
        await #expect(processExitsWith: .success) {
            weak var dead: ResourceCache<Int, Int>?
            do {
                let cache = ResourceCache<Int, Int>("short")
                dead = cache
            }
            #expect(dead == nil)
            let cache = ResourceCache<Int, Int>("long")
            for key in 0..<10 { cache.insert(key, for: key, cost: 10) }
            #expect(ControllerHost("h").simulateMemoryWarning().released == 50)
            #expect(cache.count == 5)
        }
    }
}
