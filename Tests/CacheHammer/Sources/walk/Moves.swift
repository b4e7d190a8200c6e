import Canaries
import ResourceCaches

// The cache stores 16 values of this size together, and the first of these places is free. So the last of these keys is alone.
private let keys = (0..<16).map { Key($0) }
private let (apart, together) = (keys[15], keys[14])

/// A cache whose entries can move together: the last one moves to the others.
private func makeSparseCache() -> Cache<Wide> {
    let cache = Cache<Wide>("walk")
    for key in keys { cache.put(key) }
    for key in keys.dropLast(2) { cache.remove(key) }
    return cache
}

/// Entries that move together while they are used.
///
/// The values that should stay cost 2 in total, so that a trim to 2 evicts nothing.
func walkMoves() {
    walk("moves against two reads", mostSwitches: 2) {
        let (cache, found) = (makeSparseCache(), Findings())
        return Trial(bodies: [
            { cache.trim(toCost: 2) }, { found[0] = cache.get(apart) }, { found[1] = cache.get(together) },
        ]) {
            expect(found[0] == 1 && found[1] == 1, "the reads found \(found[0]) and \(found[1])")
            compare(cache, keys)
        }
    }
    walk("moves against a removal") {
        let (cache, found) = (makeSparseCache(), Findings())
        return Trial(bodies: [{ cache.trim(toCost: 2) }, { found[0] = cache.take(apart) }]) {
            expect(found[0] == 1, "the removal found \(found[0])")
            compare(cache, keys)
        }
    }
    walk("moves against a replacement and a read", mostSwitches: 2) {
        let (cache, found) = (makeSparseCache(), Findings())
        return Trial(bodies: [{ cache.trim(toCost: 2) }, { cache.put(apart, 2) }, { found[0] = cache.get(apart) }]) {
            expect([1, 2].contains(found[0]), "the read found \(found[0])")
            expect(cache.look(apart) == 2, "the new value is not there")
            compare(cache, keys)
        }
    }
    walk("moves against an insertion") {
        let cache = makeSparseCache()
        return Trial(bodies: [{ cache.trim(toCost: 2) }, { cache.put(Key(40)) }]) {
            compare(cache, keys + [Key(40)])
        }
    }
    walk("moves against a pin", mostSwitches: 3) {
        let (cache, found) = (makeSparseCache(), Findings())
        return Trial(bodies: [
            { cache.trim(toCost: 2) },
            {
                guard let pin = cache.pin(apart, owner: "walk") else {
                    found[0] = 0
                    return
                }
                found[0] = cache.get(apart)
                pin.value.check(apart.number)
            },
        ]) {
            expect(found[0] == 1, "what is pinned has left")
            expect(cache.statistics.pinnedCost == 0, "a cost is still pinned")
            compare(cache, keys)
        }
    }
    walk("moves against moves", mostSwitches: 3) {
        let cache = makeSparseCache()
        return Trial(bodies: [{ cache.trim(toCost: 2) }, { cache.trim(toCost: 2) }]) {
            expect(cache.count == 2, "\(cache.count) are there in place of 2")
            compare(cache, keys)
        }
    }
    walk("moves against the removal of all", mostSwitches: 2) {
        let cache = makeSparseCache()
        return Trial(bodies: [{ cache.trim(toCost: 2) }, { cache.removeAll() }]) {
            expect(cache.count == 0, "\(cache.count) are left of all that were removed")
            compare(cache, keys)
        }
    }
    walk("two trims", mostSwitches: 4) {
        let cache = Cache<Canary>("walk")
        for key in keys.prefix(4) { cache.put(key) }
        return Trial(bodies: [{ cache.trim(toCost: 0) }, { cache.trim(toCost: 1) }]) {
            compare(cache, keys)
            expect(cache.count == 0, "\(cache.count) are left after a trim to nothing")
        }
    }
}
