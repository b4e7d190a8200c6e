import Canaries
import ResourceCaches

// A table begins with 64 buckets. At the 449th entry, bucket 0 is split: entries whose hashes have bit 6 set move to
// bucket 64. With fewer than 130 entries, bucket 64 is merged with bucket 0 again.
private let (stays, goes) = (Key(0), Key(64))
private let (largest, smallest) = (448, 130)

/// Keys in the buckets from 1 on.
private func filler(_ number: Int) -> Key { Key(1 + number % 63, number / 63) }

/// Stores keys until there are `count` entries, including `stays` and `goes`.
private func fill(_ cache: Cache<Canary>, upTo count: Int) {
    for number in 0..<count - 2 where !cache.contains(filler(number)) { cache.put(filler(number)) }
}

/// Removes keys until there are `count` entries.
private func empty(_ cache: Cache<Canary>, downTo count: Int) {
    for number in count - 2..<largest where cache.contains(filler(number)) { cache.remove(filler(number)) }
}

private func makeCache(entries: Int) -> Cache<Canary> {
    let cache = Cache<Canary>("walk")
    cache.put(stays)
    cache.put(goes)
    fill(cache, upTo: entries)
    return cache
}

/// A cache that has split bucket 0 and is about to merge it.
private func makeSparseCache() -> Cache<Canary> {
    let cache = makeCache(entries: largest + 1)
    empty(cache, downTo: smallest)
    return cache
}

/// Readers while buckets are split and merged.
func walkTable() {
    walk("two reads while an insertion splits the bucket", mostSwitches: 3) {
        let (cache, found) = (makeCache(entries: largest), Findings())
        return Trial(bodies: [
            { found[0] = cache.get(goes) }, { found[1] = cache.get(stays) }, { cache.put(Key(5, 99)) },
        ]) {
            expect(found[0] == 1 && found[1] == 1, "the reads found \(found[0]) and \(found[1])")
            compare(cache, [stays, goes, Key(5, 99)], others: largest - 2)
        }
    }
    walk("a removal while an insertion splits the bucket") {
        let (cache, found) = (makeCache(entries: largest), Findings())
        return Trial(bodies: [{ found[0] = cache.take(goes) }, { cache.put(Key(5, 99)) }]) {
            expect(found[0] == 1, "the removal found \(found[0])")
            compare(cache, [stays, goes, Key(5, 99)], others: largest - 2)
        }
    }
    walk("two insertions that split a bucket each") {
        let cache = makeCache(entries: largest)
        for number in 0..<6 { cache.put(Key(9, 100 + number)) }
        return Trial(bodies: [{ cache.put(Key(0, 99)) }, { cache.put(Key(64, 99)) }]) {
            compare(cache, [stays, goes, Key(0, 99), Key(64, 99)], others: largest - 2 + 6)
        }
    }
    walk("two reads while a removal merges the buckets", mostSwitches: 3) {
        let (cache, found) = (makeSparseCache(), Findings())
        return Trial(bodies: [
            { found[0] = cache.get(goes) }, { found[1] = cache.get(stays) }, { cache.remove(filler(0)) },
        ]) {
            expect(found[0] == 1 && found[1] == 1, "the reads found \(found[0]) and \(found[1])")
            compare(cache, [stays, goes], others: smallest - 3)
        }
    }
    walk("a read while buckets are merged, and split again", mostSwitches: 4) {
        let (cache, found) = (makeSparseCache(), Findings())
        return Trial(bodies: [
            { found[0] = cache.get(goes) },
            {
                cache.remove(filler(0))
                Schedules.quietly { fill(cache, upTo: largest) }
                cache.put(Key(5, 99))
            },
        ]) {
            expect(found[0] == 1, "the read found \(found[0])")
            compare(cache, [stays, goes, Key(5, 99)], others: largest - 2)
        }
    }
    for (isQuiet, mostSwitches) in [(true, 4), (false, 2)] {
        let name = isQuiet ? "in one step" : "in many steps"
        walk("a read while buckets are merged, given back \(name) and split again", mostSwitches: mostSwitches) {
            let (cache, found) = (makeSparseCache(), Findings())
            return Trial(bodies: [
                { found[0] = cache.get(goes) },
                {
                    cache.remove(filler(0))
                    if isQuiet {
                        Schedules.quietly { _ = cache.trim(toCost: smallest) }
                    } else {
                        cache.trim(toCost: smallest)
                    }
                    Schedules.quietly { fill(cache, upTo: largest) }
                    cache.put(Key(5, 99))
                    found[1] = cache.take(goes)
                },
            ]) {
                expect(
                    [0, 1].contains(found[0]) && found[1] == 1,
                    "the read found \(found[0]), the removal \(found[1])"
                )
                compare(cache, [stays, Key(5, 99)], others: largest - 2)
            }
        }
    }
    walk("all are removed against an insertion") {
        let cache = Cache<Canary>("walk")
        cache.put(stays)
        cache.put(goes)
        return Trial(bodies: [{ cache.removeAll() }, { cache.put(Key(64, 1)) }]) {
            expect(cache.look(stays) == 0 && cache.look(goes) == 0, "not all were removed")
            compare(cache, [Key(64, 1)])
        }
    }
    walk("all are removed against a replacement and a read", mostSwitches: 2) {
        let (cache, found) = (Cache<Canary>("walk"), Findings())
        cache.put(stays)
        cache.put(goes)
        return Trial(bodies: [{ cache.removeAll() }, { cache.put(goes, 2) }, { found[0] = cache.get(goes) }]) {
            expect([0, 1, 2].contains(found[0]), "the read found \(found[0])")
            expect(cache.look(stays) == 0 && cache.look(goes) != 1, "not all were removed")
            compare(cache, [goes])
        }
    }
    walk("some are removed against a replacement") {
        let cache = Cache<Canary>("walk")
        cache.put(stays)
        cache.put(goes)
        return Trial(bodies: [{ cache.removeAll { key, _ in key == goes } }, { cache.put(goes, 2) }]) {
            expect(cache.look(stays) == 1 && cache.look(goes) != 1, "another key than the one that was meant has left")
            compare(cache, [stays, goes])
        }
    }
}
