import Foundation
import TestSupport
import Testing

@testable import ObjectCache
@testable import ResourceCaches

struct CacheTests {
    @Test("an empty cache has NSCache's defaults (7.1, 7.9)")
    func defaults() {
        let cache = Cache<String, NSNumber>()
        #expect((cache.name, cache.countLimit, cache.totalCostLimit) == ("", 0, 0))
        #expect(cache.evictsObjectsWithDiscardedContent)
        #expect(cache.reactsToMemoryWarnings)
        #expect(cache.delegate == nil)
        cache.name = "pages"
        #expect(cache.name == "pages")
    }

    @Test("code for NSCache needs only another type name, and behaves the same way")
    func sameCode() {
        func useFoundations(_ cache: NSCache<NSString, NSNumber>) -> [NSNumber?] {
            cache.name = "numbers"
            cache.countLimit = 10
            cache.totalCostLimit = 100
            cache.evictsObjectsWithDiscardedContent = true
            cache.setObject(1, forKey: "one")
            cache.setObject(2, forKey: "two", cost: 50)
            cache.setObject(3, forKey: "three", cost: 2)
            cache.removeObject(forKey: "one")
            let numbers = [cache.object(forKey: "one"), cache.object(forKey: "two")]
            cache.removeAllObjects()
            return numbers + [cache.object(forKey: "two")]
        }
        func useOurs(_ cache: Cache<String, NSNumber>) -> [NSNumber?] {
            cache.name = "numbers"
            cache.countLimit = 10
            cache.totalCostLimit = 100
            cache.evictsObjectsWithDiscardedContent = true
            cache.setObject(1, forKey: "one")
            cache.setObject(2, forKey: "two", cost: 50)
            cache.setObject(3, forKey: "three", cost: 2)
            cache.removeObject(forKey: "one")
            let numbers = [cache.object(forKey: "one"), cache.object(forKey: "two")]
            cache.removeAllObjects()
            return numbers + [cache.object(forKey: "two")]
        }
        #expect(useOurs(Cache()) == useFoundations(NSCache()))
    }

    @Test("both limits hold after an insertion, and a limit of 0 is no limit (7.1, 7.4)")
    func bothLimits() {
        let stage = CacheStage(countLimit: 3, totalCostLimit: 10)
        for key in ["a", "b", "c"] { stage.set(key, cost: 3) }
        #expect(stage.events { stage.set("d", cost: 7) } == ["willEvict(a)", "willEvict(b)"])
        #expect(stage.events { stage.set("e") } == [])
        // The oldest unread object leaves. The two before it have been promoted from the small queue.
        #expect(stage.events { stage.set("f") } == ["willEvict(e)"])
        stage.cache.countLimit = 0
        stage.cache.totalCostLimit = 0
        let events = stage.events {
            for key in 0..<100 { stage.set("\(key)", cost: 1000) }
        }
        #expect(events == [])
    }

    @Test("an object that costs as much as the limit stays; one that costs more takes its predecessor with it (7.6)")
    func tooDear() {
        let stage = CacheStage(totalCostLimit: 10)
        stage.set("a", cost: 10)
        #expect(stage.events { stage.get("a") } == ["get(a)=hit"])
        stage.set("a", cost: 3)
        stage.set("b", cost: 4)
        let box = stage.unused("D")
        let events = stage.events {
            stage.set("a", cost: 11, box)
            stage.get("a")
            stage.get("b")
        }
        #expect(events == ["willEvict(a)", "willEvict(a)", "D.discarded", "get(a)=miss", "get(b)=hit"])
    }

    @Test("the same object stored again takes its new cost and does not leave")
    func sameObjectAgain() {
        let stage = CacheStage(totalCostLimit: 10)
        let box = stage.unused("D")
        stage.set("a", cost: 2, box)
        stage.set("b", cost: 3)
        #expect(stage.events { stage.set("a", cost: 7, box) } == [])
        #expect(!box.isContentDiscarded)
        #expect(stage.events { stage.set("c", cost: 1) } == ["willEvict(b)"])
        #expect(stage.events { stage.set("a", cost: 11, box) } == ["willEvict(a)", "D.discarded"])
        #expect(stage.events { stage.get("a") } == ["get(a)=miss"])
    }

    @Test(
        "all objects are removed, the last read ones last, and each content is discarded after the delegate call (7.7, 7.11)"
    )
    func removeAll() {
        let stage = CacheStage()
        stage.set("a", stage.unused("D"))
        stage.set("b")
        stage.set("c")
        stage.get("a")
        let events = stage.events { stage.cache.removeAllObjects() }
        #expect(events == ["willEvict(b)", "willEvict(c)", "willEvict(a)", "D.discarded"])
        #expect(stage.events { stage.cache.removeAllObjects() } == [])
    }

    @Test(
        "many objects leave in steps, and each is destroyed before the next step",
        arguments: [
            { $0.removeAllObjects() },
            { $0.countLimit = 1 },
            { $0.totalCostLimit = 1 },
            { $0.reclaim(ReclaimDemand(level: .critical), pacer: ReclaimPacer()) },
        ] as [@Sendable (Cache<Int, LastWords>) -> Void]
    )
    func steps(leave: @Sendable (Cache<Int, LastWords>) -> Void) {
        let cache = Reclaimer().use { Cache<Int, LastWords>() }
        let trace = SharedTrace()
        for key in 0..<1000 {
            let object = LastWords { [unowned cache] in
                // The lock is free, and the last object has not left yet.
                if key == 0 { trace.record(cache.object(forKey: 999) == nil ? "all at once" : "in steps") }
            }
            cache.setObject(object, forKey: key, cost: 1)
        }
        leave(cache)
        #expect(trace.take() == ["in steps"])
    }

    @Test("a limit that is set on many objects holds at once, and both limits hold after each insertion (7.4, 7.8)")
    func limitsHold() {
        let cache = Reclaimer().use { Cache<Int, LastWords>() }
        let object = LastWords {}
        for key in 0..<1000 { cache.setObject(object, forKey: key, cost: key % 3) }
        cache.countLimit = 100
        #expect(cache.base.count == 100)
        cache.totalCostLimit = 50
        #expect(cache.base.totalCost <= 50)
        for key in 0..<10_000 {
            cache.setObject(object, forKey: key * 7 % 300, cost: key % 4)
            #expect(cache.base.count <= 100 && cache.base.totalCost <= 50)
        }
        #expect(cache.base.count > 20)
    }

    @Test("an object that is read stays longer than others, under either limit (7.5)", arguments: [true, false])
    func usedStays(countsObjects: Bool) {
        let cache = Reclaimer().use { Cache<Int, LastWords>() }
        if countsObjects { cache.countLimit = 100 } else { cache.totalCostLimit = 100 }
        let object = LastWords {}
        for key in 0..<100 { cache.setObject(object, forKey: key, cost: countsObjects ? 0 : 1) }
        for key in 100..<10_000 {
            for used in 0..<20 { _ = cache.object(forKey: used) }
            cache.setObject(object, forKey: key, cost: countsObjects ? 0 : 1)
        }
        #expect((0..<20).allSatisfy { cache.object(forKey: $0) != nil })
    }

    @Test("an object that is evicted, replaced or removed while it is accessed leaves, but keeps its content (7.11)")
    func accessedContent() {
        let stage = CacheStage(countLimit: 1)
        let box = stage.discardable("D")
        stage.set("d", box)
        #expect(stage.events { stage.set("a") } == ["willEvict(d)"])
        stage.set("d", box)
        #expect(stage.events { stage.set("d") } == ["willEvict(d)"])
        stage.set("d", box)
        #expect(stage.events { stage.cache.removeObject(forKey: "d") } == ["willEvict(d)"])
        #expect(box.content != nil)
    }

    @Test("contents are discarded without a delegate too, and nothing keeps the delegate alive (7.11)")
    func noDelegate() {
        let stage = CacheStage()
        weak var dead: CacheStage?
        do {
            let other = CacheStage()
            dead = other
            stage.cache.delegate = other
        }
        #expect(dead == nil)
        #expect(stage.cache.delegate == nil)
        stage.set("d", stage.unused("D"))
        #expect(stage.events { stage.cache.removeObject(forKey: "d") } == ["D.discarded"])
        #expect(stage.events { stage.get("d") } == ["get(d)=miss"])
    }
}
