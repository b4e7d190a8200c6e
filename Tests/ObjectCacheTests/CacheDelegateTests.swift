import ResourceCaches
import TestSupport
import Testing

@testable import ObjectCache

struct CacheDelegateTests {
    @Test("while the delegate is called, the leaving object and all others can still be read (7.3)")
    func readsInside() {
        let stage = CacheStage(countLimit: 2)
        stage.whenEvicting { [unowned stage] key in
            stage.get(key)
            stage.get("b")
        }
        stage.set("a")
        stage.set("b")
        #expect(stage.events { stage.set("c") } == ["willEvict(a)", "get(a)=hit", "get(b)=hit"])
        #expect(stage.events { stage.get("a") } == ["get(a)=miss"])
        let events = stage.events { stage.cache.removeAllObjects() }
        #expect(events == ["willEvict(c)", "get(c)=hit", "get(b)=hit", "willEvict(b)", "get(b)=hit", "get(b)=hit"])
        #expect(stage.events { stage.get("b") } == ["get(b)=miss"])
    }

    @Test("while an object is being replaced, its key leads to the new object (7.3, 7.7)")
    func readsWhileReplacing() {
        let stage = CacheStage()
        stage.set("a")
        let new = LastWords {}
        stage.whenEvicting { [unowned stage] key in
            #expect(stage.cache.object(forKey: key) === new)
        }
        #expect(stage.events { stage.set("a", new) } == ["willEvict(a)"])
        stage.whenEvicting { _ in }
        #expect(stage.cache.object(forKey: "a") === new)
    }

    @Test("a read of a discarded object is a miss while its own eviction is reported (7.9)")
    func readsDiscarded() {
        let stage = CacheStage()
        let box = stage.unused("D")
        stage.set("d", box)
        box.discardContentIfPossible()
        stage.whenEvicting { [unowned stage] in stage.get($0) }
        #expect(stage.events { stage.get("d") } == ["willEvict(d)", "get(d)=miss", "get(d)=miss"])
    }

    @Test("an object that is about to leave no longer counts, and an object that is stored in its place stays")
    func changedInside() {
        let stage = CacheStage(countLimit: 2)
        stage.set("a")
        stage.set("b")
        let new = LastWords {}
        stage.whenEvicting { [unowned stage] key in
            // A delegate must not do this, but another thread may do it at this moment.
            if key == "a" { stage.set("a", new) }
        }
        #expect(stage.events { stage.set("c") } == ["willEvict(a)", "willEvict(b)"])
        #expect(stage.cache.object(forKey: "a") === new)
        #expect(stage.events { stage.get("c") } == ["get(c)=hit"])
    }

    @Test("an object that another thread removes while it is about to leave is reported once, and is no longer found")
    func removedInside() {
        let stage = CacheStage()
        stage.set("a")
        stage.whenEvicting { [unowned stage] key in
            stage.cache.removeObject(forKey: key)
            stage.get(key)
        }
        #expect(stage.events { stage.cache.removeObject(forKey: "a") } == ["willEvict(a)", "get(a)=miss"])
        stage.set("a")
        stage.whenEvicting { [unowned stage] key in
            stage.cache.removeAllObjects()
            stage.get(key)
        }
        #expect(stage.events { stage.cache.removeAllObjects() } == ["willEvict(a)", "get(a)=miss"])
    }

    @Test("an object that is about to leave does not return when its successor leaves unreported")
    func successorGoesUntold() {
        let stage = CacheStage(countLimit: 1)
        stage.set("a")
        stage.whenEvicting { [unowned stage] key in
            stage.set(key)
            stage.cache.delegate = nil
            stage.set("b")
            stage.get(key)
        }
        #expect(stage.events { stage.cache.removeObject(forKey: "a") } == ["willEvict(a)", "get(a)=miss"])
    }

    @Test("an object that was reported does not hide its successor, whose report is still pending")
    func overlapping() {
        let stage = CacheStage()
        stage.set("a")
        let new = LastWords {}
        stage.whenEvicting { [unowned stage] key in
            stage.whenEvicting { _ in }
            // Another thread may do this at this moment: it evicts the successor, and reports it later.
            stage.cache.setObject(new, forKey: key)
            var steps = 1
            #expect(stage.cache.base.takeForShortage(&steps).count == 1)
        }
        stage.cache.removeObject(forKey: "a")
        #expect(stage.cache.object(forKey: "a") === new)
        #expect(!stage.cache.base.hasNoPendingNotices)
    }

    @Test("objects are destroyed outside the lock, so their deinit may use the cache")
    func endsOutsideTheLock() {
        let cache = Cache<Int, LastWords>()
        let trace = SharedTrace()
        func set(_ key: Int) {
            let object = LastWords { [unowned cache] in
                trace.record("\(key)")
                _ = cache.object(forKey: key)
            }
            cache.setObject(object, forKey: key, cost: 1)
        }
        set(0)
        set(0)
        #expect(trace.take() == ["0"])
        cache.removeObject(forKey: 0)
        #expect(trace.take() == ["0"])
        for key in 1...4 { set(key) }
        cache.countLimit = 3
        #expect(trace.take() == ["1"])
        cache.totalCostLimit = 2
        #expect(trace.take() == ["2"])
        let pacer = ReclaimPacer()
        cache.reclaim(ReclaimDemand(level: .critical), pacer: pacer)
        #expect(pacer.droppedBytes == 2)
        #expect(trace.take().sorted() == ["3", "4"])
        set(5)
        cache.removeAllObjects()
        #expect(trace.take() == ["5"])
    }

    @Test("an object whose key is unequal to itself is destroyed after the delegate was told (7.8)")
    func unequalKeys() {
        final class Silent: CacheDelegate {
            func cache(_ cache: Cache<Double, LastWords>, willEvictObject object: LastWords) {}
        }
        let delegate = Silent()
        let cache = Cache<Double, LastWords>()
        cache.delegate = delegate
        cache.countLimit = 5
        let destroyed = Counter()
        for _ in 0..<100 { cache.setObject(LastWords { destroyed.increment() }, forKey: .nan) }
        #expect(destroyed.value == 95)
    }
}
