import TestSupport
import Testing

@testable import ObjectCache

/// The specification's cases for caches and discardable content, in the specification's words.
struct ConformanceTests {
    @Test("C7-01: a hit makes an entry the most recently used (7.4, 7.5)")
    func leastRecentlyUsed() {
        let stage = CacheStage(countLimit: 2)
        let events = stage.events {
            stage.set("a")
            stage.set("b")
            stage.get("a")
            stage.set("c")
            stage.get("b")
        }
        #expect(events == ["get(a)=hit", "willEvict(b)", "get(b)=miss"])
    }

    @Test("C7-02: if an object costs more than the limit, only that object leaves (7.4, 7.6)")
    func tooDear() {
        let stage = CacheStage(totalCostLimit: 10)
        let events = stage.events {
            for key in ["a", "b", "c"] { stage.set(key, cost: 4) }
            stage.set("big", cost: 11)
            stage.get("c")
        }
        #expect(events == ["willEvict(a)", "willEvict(big)", "get(c)=hit"])
    }

    @Test("C7-03: the delegate is told of replaced and removed objects, and not of absent ones (7.7)")
    func removal() {
        let stage = CacheStage()
        stage.set("a")
        stage.set("b")
        let events = stage.events {
            stage.set("a")
            stage.cache.removeObject(forKey: "b")
            stage.cache.removeObject(forKey: "b")
            stage.cache.removeAllObjects()
        }
        #expect(events == ["willEvict(a)", "willEvict(b)", "willEvict(a)"])
    }

    @Test("C7-04: a lower limit takes effect at once (7.8)")
    func lowerLimits() {
        let stage = CacheStage()
        for key in ["a", "b", "c"] { stage.set(key, cost: 5) }
        #expect(stage.events { stage.cache.totalCostLimit = 10 } == ["willEvict(a)"])
        #expect(stage.events { stage.cache.countLimit = 1 } == ["willEvict(b)"])
    }

    @Test("C7-05: a read that finds discarded content evicts and misses (7.9)")
    func discardedContent() {
        let stage = CacheStage()
        let box = stage.unused("D")
        stage.set("d", box)
        stage.set("p")
        let events = stage.events {
            box.discardContentIfPossible()
            stage.get("d")
            stage.get("p")
        }
        #expect(events == ["D.discarded", "willEvict(d)", "get(d)=miss", "get(p)=hit"])
    }

    @Test("C7-06: a cache that is set up for it returns an object with discarded content (7.9)")
    func keptDiscardedContent() {
        let stage = CacheStage()
        stage.cache.evictsObjectsWithDiscardedContent = false
        let box = stage.unused("D")
        stage.set("d", box)
        let events = stage.events {
            box.discardContentIfPossible()
            stage.get("d")
        }
        #expect(events == ["D.discarded", "get(d)=hit"])
        #expect(box.isContentDiscarded)
    }

    @Test("C7-07: content is discarded only without an access, and the count starts at 1 (7.12, 7.13)")
    func accessCount() {
        let stage = CacheStage()
        let box = stage.discardable("D")
        box.discardContentIfPossible()
        #expect(!box.isContentDiscarded)
        #expect(box.beginContentAccess())
        box.endContentAccess()
        box.discardContentIfPossible()
        box.endContentAccess()
        #expect(stage.trace.take().isEmpty)
        box.discardContentIfPossible()
        #expect(stage.trace.take() == ["D.discarded"])
        #expect(box.isContentDiscarded)
        #expect(!box.beginContentAccess())
    }

    @Test("C7-08: reading and ending without an access are faults (7.14)")
    func faults() {
        let stage = CacheStage()
        let box = stage.discardable("D")
        #expect(box.content != nil)
        box.endContentAccess()
        #expect(box.content == nil)
        #expect(stage.trace.take() == ["fault:contentNotAccessed"])
        box.endContentAccess()
        #expect(stage.trace.take() == ["fault:unbalancedContentAccess"])
    }

    @Test("C7-09: a warning leaves objects that are being accessed (7.10, 7.11)")
    func warning() {
        let stage = CacheStage()
        stage.set("held", stage.discardable("D1"))
        stage.set("free", stage.unused("D2"))
        stage.set("plain")
        let events = stage.events {
            stage.warn()
            stage.get("held")
        }
        #expect(events == ["willEvict(free)", "D2.discarded", "willEvict(plain)", "get(held)=hit"])
    }
}
