import Canaries
import ResourceCaches

private let key = Key(3)

/// Readers and changes of one key.
func walkOneKey() {
    walk("a read against a removal") {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        cache.put(key)
        return Trial(bodies: [{ found[0] = cache.get(key) }, { found[1] = cache.take(key) }]) {
            expect([0, 1].contains(found[0]), "the read found \(found[0])")
            expect(found[1] == 1, "the removal found \(found[1])")
            compare(cache, [key])
        }
    }
    walk("two reads against a replacement", mostSwitches: 4) {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        cache.put(key)
        return Trial(bodies: [{ found[0] = cache.get(key) }, { found[1] = cache.get(key) }, { cache.put(key, 2) }]) {
            expect([1, 2].contains(found[0]) && [1, 2].contains(found[1]), "the reads found \(found[0]), \(found[1])")
            expect(cache.look(key) == 2, "the new value is not there")
            compare(cache, [key])
        }
    }
    walk("a read that uses the cache against a replacement", mostSwitches: 5) {
        let cache = Cache<Canary>("walk")
        cache.put(key)
        return Trial(bodies: [
            {
                cache.withValue(for: key) { value in
                    cache.put(Key(3, 1), 7)
                    _ = cache.take(key)
                    value.check(key.number)
                }
            },
            { cache.put(key, 2) },
        ]) {
            expect([0, 2].contains(cache.look(key)), "the first value is back")
            compare(cache, [key, Key(3, 1)])
        }
    }
    walk("two insertions of one key") {
        let cache = Cache<Canary>("walk")
        return Trial(bodies: [{ cache.put(key, 1) }, { cache.put(key, 2) }]) {
            expect(cache.look(key) > 0, "neither value is there")
            compare(cache, [key])
        }
    }
    walk("two insertions of one key against a removal and a read", mostSwitches: 3) {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        return Trial(bodies: [
            { cache.put(key, 1) }, { cache.put(key, 2) }, { found[0] = cache.take(key) + cache.get(key) },
        ]) {
            compare(cache, [key])
        }
    }
    walk("a removal against a removal") {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        cache.put(key)
        return Trial(bodies: [{ found[0] = cache.take(key) }, { found[1] = cache.take(key) }]) {
            expect(found[0] + found[1] == 1, "the removals found \(found[0]) and \(found[1])")
            compare(cache, [key])
        }
    }
    walk("a removal against a removal and a read", mostSwitches: 4) {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        cache.put(key)
        return Trial(bodies: [
            { found[0] = cache.take(key) }, { found[1] = cache.take(key) }, { found[2] = cache.get(key) },
        ]) {
            expect(found[0] + found[1] == 1, "the removals found \(found[0]) and \(found[1])")
            compare(cache, [key])
        }
    }
    walk("a read of what is out of date against an insertion") {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        cache.insert(Canary(key: key.number, number: 1), for: key, timeToLive: .zero)
        return Trial(bodies: [{ found[0] = cache.get(key) }, { cache.put(key, 2) }]) {
            expect([0, 2].contains(found[0]), "the read found \(found[0]), which was out of date")
            expect(cache.look(key) == 2, "the new value is not there")
            compare(cache, [key])
        }
    }
    walk("a load against an insertion", mostSwitches: 6) {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        return Trial(bodies: [
            { found[0] = cache.value(for: key, orLoad: { Canary(key: key.number, number: 1) }).number },
            { cache.put(key, 2) },
        ]) {
            expect([1, 2].contains(found[0]), "the load brought \(found[0])")
            expect(cache.look(key) == 2, "what was loaded before took the place of what was stored")
            compare(cache, [key])
        }
    }
    walk("a pin against a removal") {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        cache.put(key)
        return Trial(bodies: [
            {
                guard let pin = cache.pin(key, owner: "walk") else {
                    found[0] = 0
                    return
                }
                pin.value.check(key.number)
                found[0] = pin.value.number
            },
            { found[1] = cache.take(key) },
        ]) {
            expect(found[1] == 1, "the removal found \(found[1])")
            expect(cache.statistics.pinnedCost == 0, "a cost is pinned and nothing is there")
            compare(cache, [key])
        }
    }
}
