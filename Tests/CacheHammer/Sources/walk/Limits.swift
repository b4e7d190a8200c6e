import Canaries
import ResourceCaches

private let keys = (0..<4).map { Key($0) }

private func makeFullCache(_ count: Int) -> Cache<Canary> {
    let cache = Cache<Canary>("walk", limit: count)
    for key in keys.prefix(count) { cache.put(key) }
    return cache
}

/// Entries that a limit evicts while they are used.
func walkLimits() {
    walk("an insertion whose only victim is being read") {
        let (cache, found) = (makeFullCache(1), Findings())
        return Trial(bodies: [{ found[0] = cache.get(keys[0]) }, { cache.put(keys[1], 2) }]) {
            expect([0, 1].contains(found[0]), "the read found \(found[0])")
            expect(cache.look(keys[1]) == 2, "the new value is not there")
            compare(cache, keys)
        }
    }
    walk("an insertion whose victims are being read", mostSwitches: 3) {
        let (cache, found) = (makeFullCache(3), Findings())
        return Trial(bodies: [
            { found[0] = cache.get(keys[0]) }, { found[1] = cache.get(keys[1]) }, { cache.put(keys[3], 2) },
        ]) {
            expect([0, 1].contains(found[0]) && [0, 1].contains(found[1]), "the reads found \(found[0]), \(found[1])")
            expect(cache.look(keys[3]) == 2, "the new value is not there")
            expect(cache.count == 3, "\(cache.count) are there in place of 3")
            compare(cache, keys)
        }
    }
    walk("two insertions with one victim") {
        let cache = makeFullCache(1)
        return Trial(bodies: [{ cache.put(keys[1]) }, { cache.put(keys[2]) }]) {
            expect(cache.count == 1 && cache.look(keys[0]) == 0, "the first value is still there")
            compare(cache, keys)
        }
    }
    walk("an insertion against the removal of its victim") {
        let cache = makeFullCache(1)
        return Trial(bodies: [{ cache.put(keys[1], 2) }, { cache.remove(keys[0]) }]) {
            expect(cache.look(keys[1]) == 2, "the new value is not there")
            compare(cache, keys)
        }
    }
    walk("an insertion against the replacement of its victim") {
        let cache = makeFullCache(1)
        return Trial(bodies: [{ cache.put(keys[1], 2) }, { cache.put(keys[0], 2) }]) {
            expect(cache.count == 1 && cache.look(keys[0]) != 1, "the first value is still there")
            compare(cache, keys)
        }
    }
    walk("an insertion against a pin of its victim") {
        let (cache, found) = (makeFullCache(1), Findings())
        return Trial(bodies: [
            {
                guard let pin = cache.pin(keys[0], owner: "walk") else {
                    found[0] = 1
                    return
                }
                found[0] = cache.get(keys[0])
                pin.value.check(keys[0].number)
            },
            { cache.put(keys[1]) },
        ]) {
            expect(found[0] == 1, "what is pinned has left")
            expect(cache.totalCost <= 1, "the cache holds \(cache.totalCost) with a limit of 1")
            compare(cache, keys)
        }
    }
    walk("a lower limit against a read and an insertion", mostSwitches: 3) {
        let (cache, found) = (makeFullCache(3), Findings())
        return Trial(bodies: [{ cache.limit = 1 }, { found[0] = cache.get(keys[0]) }, { cache.put(keys[3], 2) }]) {
            expect([0, 1].contains(found[0]), "the read found \(found[0])")
            expect(cache.totalCost == 1, "the cache holds \(cache.totalCost) with a limit of 1")
            compare(cache, keys)
        }
    }
    walk("a reservation against an insertion") {
        let (cache, found) = (makeFullCache(2), Findings())
        return Trial(bodies: [
            {
                let reservation = cache.reserve(cost: 1)
                found[0] = reservation.cost
            },
            { cache.put(keys[3], 2) },
        ]) {
            expect(found[0] == 1, "\(found[0]) is reserved in place of 1")
            expect(cache.statistics.reservedCost == 0, "a cost is still reserved")
            compare(cache, keys)
        }
    }
}
