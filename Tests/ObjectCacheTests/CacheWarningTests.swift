import ResourceManager
import Synchronization
import TestSupport
import Testing

@testable import ObjectCache
@testable import ResourceCaches

struct CacheWarningTests {
    @Test(
        "a warning of either level takes everything, the least recently used first, and counts its cost (7.10)",
        arguments: [PressureLevel.warning, .critical]
    )
    func everything(level: PressureLevel) {
        let stage = CacheStage()
        stage.set("a", cost: 5, stage.unused("D"))
        stage.set("b", cost: 6)
        stage.set("held", cost: 7, stage.discardable("H"))
        stage.get("a")
        #expect(stage.reclaimer.releasableBytes == 18)
        _ = stage.trace.take()
        #expect(stage.warn(level) == 11)
        #expect(stage.trace.take() == ["willEvict(b)", "willEvict(a)", "D.discarded"])
        #expect(stage.reclaimer.releasableBytes == 7)
    }

    @Test("everything goes also if only so many bytes are wanted, and before the pacer hears of it (7.10)")
    func pacing() {
        let stage = CacheStage()
        let cost = ReclaimPacer.batchBytes
        let ended = stage.trace
        for key in ["a", "b"] {
            stage.cache.setObject(LastWords { ended.record("\(key) ended") }, forKey: key, cost: cost)
        }
        stage.cache.delegate = nil
        let pacer = ReclaimPacer {
            ended.record("trim")
            return 0
        }
        stage.cache.reclaim(ReclaimDemand(level: .warning, bytes: 1), pacer: pacer)
        #expect(ended.take() == ["a ended", "trim", "b ended", "trim"])
        #expect(pacer.droppedBytes == 2 * cost)
    }

    @Test("back to normal is no warning")
    func normal() {
        let stage = CacheStage()
        stage.set("a", cost: 5)
        #expect(stage.warn(.normal) == 0)
        #expect(stage.events { stage.get("a") } == ["get(a)=hit"])
    }

    @Test("a cache can be told not to react, and then offers nothing (7.10)")
    func switchedOff() {
        let stage = CacheStage()
        stage.cache.reactsToMemoryWarnings = false
        stage.set("a", cost: 5, stage.unused("D"))
        #expect(stage.reclaimer.releasableBytes == 0)
        #expect(stage.warn() == 0)
        #expect(stage.trace.take() == [])
        #expect(stage.events { stage.get("a") } == ["get(a)=hit"])
    }

    @Test("what a warning leaves keeps its order, its cost and the limits (7.4, 7.10)")
    func kept() {
        let stage = CacheStage(totalCostLimit: 10)
        for key in ["a", "b"] {
            stage.set(key, cost: 4, stage.discardable(key))
            stage.set("plain", cost: 1)
        }
        stage.warn()
        #expect(stage.cache.state.withLock { $0.isNobodyLeaving })
        #expect(stage.events { stage.set("c", cost: 4) } == ["willEvict(a)"])
    }

    @Test("an object that is replaced while the warning goes round stays")
    func replacedMeanwhile() {
        let stage = CacheStage()
        stage.set("a")
        stage.set("d", stage.unused("D"))
        let new = LastWords {}
        stage.whenEvicting { [unowned stage] key in
            if key == "a" { stage.set("d", new) }
        }
        #expect(stage.events { stage.warn() } == ["willEvict(a)", "willEvict(d)", "D.discarded"])
        #expect(stage.cache.object(forKey: "d") === new)
    }

    // In a process of its own, whose caches no other test's warnings reach.
    @Test("a cache hears of any host's warning by itself, and its registration does not keep it alive")
    func processWide() async {
        await #expect(processExitsWith: .success) {
            weak var dead: Cache<Int, LastWords>?
            do {
                let cache = Cache<Int, LastWords>()
                dead = cache
            }
            #expect(dead == nil)
            let trace = SharedTrace()
            let first = Cache<Int, LastWords>()
            let second = Cache<Int, LastWords>()
            second.setObject(LastWords { trace.record("second") }, forKey: 1, cost: 10)
            first.setObject(LastWords { trace.record("first") }, forKey: 1, cost: 20)
            #expect(ControllerHost("h").simulateMemoryWarning().released == 30)
            #expect(trace.take() == ["first", "second"])
        }
    }
}
