import Foundation
import ResourceManager
import Synchronization
import TestSupport
import Testing

@testable import ObjectCache
@testable import ResourceCaches

struct CacheWarningTests {
    @Test(
        "a warning of either level empties the cache, the last read objects last, and counts their cost (7.10)",
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

    @Test("all objects leave even if only some bytes are wanted, before the pacer is told (7.10)")
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

    @Test("an object with another owner does not count, and is found while it lives (7.10)")
    func heldElsewhere() {
        let stage = CacheStage()
        var held: CacheStage.Object? = stage.set("a", cost: 5)
        stage.set("b", cost: 6)
        #expect(stage.warn() == 6)
        #expect(stage.trace.take() == ["willEvict(a)", "willEvict(b)"])
        #expect(stage.cache.object(forKey: "a").map { ObjectIdentifier($0) } == held.map { ObjectIdentifier($0) })
        #expect(stage.reclaimer.releasableBytes == 5, "it is back")
        #expect(stage.warn() == 0)
        held = nil
        #expect(stage.events { stage.get("a") } == ["get(a)=miss"])
    }

    @Test("an object with another owner is no longer found after its key, or every key, was removed")
    func heldAndRemoved() {
        let stage = CacheStage()
        let held = ["a", "b", "c"].map { stage.set($0) }
        stage.warn()
        stage.cache.removeObject(forKey: "a")
        stage.set("b")
        let events = stage.events {
            stage.get("a")
            stage.get("b")
            stage.cache.removeAllObjects()
            stage.get("c")
        }
        #expect(events == ["get(a)=miss", "get(b)=hit", "willEvict(b)", "get(c)=miss"])
        withExtendedLifetime(held) {}
    }

    @Test("while the delegate is told of an object that leaves at a warning, the object can be read (7.3, 7.10)")
    func readsInside() {
        let stage = CacheStage()
        stage.set("a")
        stage.whenEvicting { [unowned stage] in stage.get($0) }
        #expect(stage.events { stage.warn() } == ["willEvict(a)", "get(a)=hit"])
        #expect(stage.events { stage.get("a") } == ["get(a)=miss"])
    }

    @Test("objects that the program stores during a warning stay, and objects in use are asked once")
    func storedMeanwhile() {
        let stage = CacheStage()
        for key in 0..<200 { stage.set("\(key)", stage.discardable("D\(key)")) }
        stage.set("a")
        stage.whenEvicting { [unowned stage] _ in stage.set("new") }
        #expect(stage.events { stage.warn() } == ["willEvict(a)"])
        #expect(stage.events { stage.get("new") } == ["get(new)=hit"])
        #expect(stage.events { stage.get("199") } == ["get(199)=hit"])
    }

    @Test("a return to normal is not a warning")
    func normal() {
        let stage = CacheStage()
        stage.set("a", cost: 5)
        #expect(stage.warn(.normal) == 0)
        #expect(stage.events { stage.get("a") } == ["get(a)=hit"])
    }

    @Test("a cache that does not react to warnings offers nothing (7.10)")
    func switchedOff() {
        let stage = CacheStage()
        stage.cache.reactsToMemoryWarnings = false
        stage.set("a", cost: 5, stage.unused("D"))
        #expect(stage.reclaimer.releasableBytes == 0)
        #expect(stage.warn() == 0)
        #expect(stage.trace.take() == [])
        #expect(stage.events { stage.get("a") } == ["get(a)=hit"])
    }

    @Test("objects that stay at a warning keep their order, their cost and the limits (7.4, 7.10)")
    func kept() {
        let stage = CacheStage(totalCostLimit: 10)
        for key in ["a", "b"] {
            stage.set(key, cost: 4, stage.discardable(key))
            stage.set("plain", cost: 1)
        }
        stage.warn()
        #expect(stage.cache.base.hasNoPendingNotices)
        #expect(stage.events { stage.set("c", cost: 4) } == ["willEvict(a)"])
    }

    @Test("an object that is stored during a warning displaces content in use, as at any other time (7.4, 7.10)")
    func displacingMeanwhile() {
        let stage = CacheStage(totalCostLimit: 100)
        stage.set("held", cost: 90, stage.discardable("H"))
        stage.set("a", cost: 10)
        stage.whenEvicting { [unowned stage] key in
            if key == "a" { stage.set("new", cost: 50) }
        }
        stage.warn()
        #expect(stage.trace.take() == ["willEvict(a)", "willEvict(held)"])
        #expect(stage.events { stage.get("new") } == ["get(new)=hit"])
    }

    @Test("content whose access begins while the delegate is told stays, and reads find it (7.10, 7.12)")
    func accessedMeanwhile() {
        let stage = CacheStage()
        let box = stage.unused("D")
        stage.set("d", cost: 5, box)
        stage.whenEvicting { key in
            if key == "d" { #expect(box.beginContentAccess()) }
        }
        #expect(stage.warn() == 0)
        #expect(stage.trace.take() == ["willEvict(d)"])
        #expect(!box.isContentDiscarded)
        #expect(stage.cache.object(forKey: "d") === box)
        #expect(stage.cache.base.hasNoPendingNotices)
    }

    @Test("an object that is replaced during a warning stays")
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

    @Test("an object in use that is removed or replaced during a warning is reported", arguments: 0..<3)
    func removedMeanwhile(way: Int) {
        let stage = CacheStage()
        stage.set("a")
        stage.set("d", stage.discardable("D"))
        stage.whenEvicting { [unowned stage] key in
            guard key == "a" else { return }
            switch way {
            case 0: stage.cache.removeObject(forKey: "d")
            case 1: stage.cache.removeAllObjects()
            default: stage.set("d", LastWords {})
            }
        }
        #expect(stage.events { stage.warn() } == ["willEvict(a)", "willEvict(d)"])
    }

    @Test("an object that is stored again during a warning stays, with its content (7.7)")
    func setAgainMeanwhile() {
        let stage = CacheStage()
        let box = stage.unused("D")
        stage.set("a")
        stage.set("d", box)
        stage.whenEvicting { [unowned stage] key in
            if key == "a" { stage.set("d", box) }
        }
        #expect(stage.events { stage.warn() } == ["willEvict(a)"])
        #expect(stage.events { stage.get("d") } == ["get(d)=hit"])
    }

    // Runs in its own process, whose caches no other test's warnings reach.
    @Test("a cache receives any host's warning by itself, and its registration does not keep it alive")
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

    @Test("purgeable data in the cache, which also receives warnings, counts once", arguments: [true, false])
    func purgeableData(isMadeFirst: Bool) throws {
        let bytes = 1 << 20
        try ResourceTesting.scope { scope in
            func makeData() throws -> PurgeableData {
                let data = try PurgeableData(count: bytes) { span in
                    for offset in stride(from: 0, to: bytes, by: 4096) {
                        span.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
                    }
                }
                data.endContentAccess()
                return data
            }
            let early = isMadeFirst ? try makeData() : nil
            let cache = Cache<Int, PurgeableData>()
            cache.setObject(try early ?? makeData(), forKey: 1, cost: bytes)
            #expect(scope.simulateMemoryWarning(.critical) == UInt64(bytes))
        }
    }

    @Test("removing all objects ends, however many objects the delegate stores meanwhile")
    func removeAllAndStore() {
        let stage = CacheStage()
        for number in 0..<200 { stage.set("\(number)") }
        let stored = Mutex(0)
        stage.whenEvicting { [unowned stage] _ in
            let number = stored.withLock { stored in
                stored += 1
                return stored
            }
            if number < 100_000 { stage.set("new \(number)") }
        }
        stage.cache.removeAllObjects()
        #expect(stored.withLock { $0 } < 1000)
        stage.cache.delegate = nil
    }

    @Test("an object with discardable content counts once, in whatever caches it is", arguments: [false, true])
    func contentInTwoCaches(isResourceCacheFirst: Bool) {
        ResourceTesting.scope { scope in
            let early = isResourceCacheFirst ? ResourceCache<Int, DiscardableObject<Int>>("K") : nil
            let cache = Cache<Int, DiscardableObject<Int>>()
            let other = early ?? ResourceCache("K")
            do {
                let object = DiscardableObject(1)
                cache.setObject(object, forKey: 1, cost: 1000)
                other.insert(object, for: 1, cost: 1000)
                object.endContentAccess()
            }
            #expect(scope.simulateMemoryWarning(.critical) == 1000)
        }
    }

    @Test("purgeable data in caches of both kinds, which also receives warnings, counts once")
    func purgeableDataInTwoCaches() throws {
        let bytes = 1 << 16
        try ResourceTesting.scope { scope in
            let other = ResourceCache<Int, PurgeableData>("K")
            let cache: Cache<Int, PurgeableData>
            do {
                let data = try PurgeableData(copying: [UInt8](repeating: 1, count: bytes).span.bytes)
                data.endContentAccess()
                other.insert(data, for: 1, cost: bytes)
                cache = Cache()
                cache.setObject(data, forKey: 1, cost: bytes)
            }
            #expect(scope.simulateMemoryWarning(.critical) == UInt64(bytes))
        }
    }

    @Test("an object in use is found though other caches took the last room while the delegate was told (7.10)")
    func roomTakenMeanwhile() {
        let stage = CacheStage()
        let held = stage.set("a")
        stage.whenEvicting { [unowned stage] _ in
            while stage.reclaimer.weakReferences.hasRoom { stage.reclaimer.weakReferences.add(1024) }
        }
        stage.warn()
        #expect(!stage.reclaimer.weakReferences.hasRoom)
        #expect(stage.cache.object(forKey: "a").map { ObjectIdentifier($0) } == ObjectIdentifier(held))
    }

    @Test("objects in use do not come back after all were removed, if a warning comes meanwhile (7.7)")
    func warningWhileAllAreRemoved() {
        for hasContent in [false, true] {
            let stage = CacheStage()
            if hasContent { stage.set("content", stage.discardable("C")) }
            let held = (0..<200).map { stage.set("\($0)") }
            let hasWarned = Atomic(false)
            stage.whenEvicting { [unowned stage] _ in
                if !hasWarned.exchange(true, ordering: .relaxed) { stage.warn() }
            }
            stage.cache.removeAllObjects()
            #expect((0..<200).allSatisfy { stage.cache.object(forKey: "\($0)") == nil })
            #expect(stage.cache.object(forKey: "content") == nil)
            withExtendedLifetime(held) {}
        }
    }

    @Test("content in use is not put back by a warning on another thread after all objects were removed (7.7)")
    func putBackAfterAllWereRemoved() {
        let stage = CacheStage()
        for number in 0..<200 {
            stage.set("\(number)", number == 100 ? stage.discardable("100") : stage.unused("\(number)"))
        }
        let (isWarned, isEmpty, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        let remover = pthread_self()
        let hasBegun = Atomic(false)
        stage.whenEvicting { [unowned stage] _ in
            guard pthread_self() == remover else {
                isWarned.signal()
                isEmpty.wait()
                return
            }
            guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
            isOver.enter()
            Thread.detachNewThread {
                stage.warn()
                isWarned.signal()
                isOver.leave()
            }
            isWarned.wait()
        }
        stage.cache.removeAllObjects()
        for _ in 0..<200 { isEmpty.signal() }
        isOver.wait()
        #expect((0..<200).allSatisfy { stage.cache.object(forKey: "\($0)") == nil })
    }
}
