import Canaries
import ResourceCaches
import Synchronization

private let places = 6
private let keysEach = 40_000

/// The values that the thread of one place has stored: the number of each key's value, 0 for none.
// `@unchecked`: only the place's thread uses it. The next thread of the place starts after that one has ended.
private final class Book: @unchecked Sendable {
    var numbers = [Int](repeating: 0, count: keysEach)
    /// The largest number that was seen for each key of all places.
    var seen = [Int](repeating: 0, count: places * keysEach)
    var last = 0
    var isGrowing = true
}

/// Each thread changes keys that no other thread changes, in a cache that evicts nothing.
///
/// It finds exactly the values that it stored last, and the values that it sees for other keys never become older.
///
/// Meanwhile the table grows to some hundred thousand entries and shrinks again, entries move together, and the cache
/// returns memory.
func ownKeys(_ seconds: Double) {
    let cache = ResourceCache<Int, Canary>("own", limit: .max / 2)
    let books = (0..<places).map { _ in Book() }
    onThreads(places, for: seconds) { place, chance in
        let book = books[place]
        for _ in 0..<8 {
            let own = chance.below(keysEach)
            let key = own * places + place
            let found = chance.below(2) == 0 ? cache.value(for: key) : cache.peek(key)
            found?.check(key)
            let number = found?.number ?? 0
            expect(number == book.numbers[own], "key \(key) has value \(number) in place of \(book.numbers[own])")
            // The thread mostly inserts for some time, then mostly removes, so that the table grows and shrinks.
            if (chance.below(8) != 0) == book.isGrowing {
                book.last += 1
                cache.insert(
                    Canary(key: key, number: book.last),
                    for: key,
                    priority: .init(rawValue: UInt8(chance.below(3)))
                )
                book.numbers[own] = book.last
            } else {
                let removed = cache.remove(key)
                removed?.check(key)
                expect(removed?.number ?? 0 == number, "of key \(key) another value was removed")
                book.numbers[own] = 0
            }
            let other = chance.below(places * keysEach)
            guard let value = cache.value(for: other) else { continue }
            value.check(other)
            expect(value.number >= book.seen[other], "of key \(other) an older value came after a newer one")
            book.seen[other] = value.number
        }
        let dice = chance.below(40_000)
        if dice < 20 { book.isGrowing.toggle() }
        // This evicts nothing, but makes the cache move entries together and return memory.
        if dice % 1000 == 0 { cache.limit = .max / 4 + chance.below(1000) * 4 - (dice < 20_000 ? 0 : 4000) }
        if dice % 500 == 1, let pin = cache.pin(chance.below(keysEach) * places + place, owner: "own") {
            pin.value.check(pin.key)
            cache.limit = .max / 2 - chance.below(1000)
        }
    }
    for (place, book) in books.enumerated() {
        for (own, number) in book.numbers.enumerated() {
            let key = own * places + place
            expect(cache.value(for: key)?.number ?? 0 == number, "at the end key \(key) does not have its value")
        }
    }
    let count = books.reduce(0) { $0 + $1.numbers.count { $0 > 0 } }
    expect(
        cache.count == count && cache.totalCost == count,
        "the cache counts \(cache.count) values, and \(count) are there"
    )
}

/// A cache grows to some hundred thousand entries and is trimmed, emptied or limited again.
///
/// Meanwhile other threads read the values on screen and always find them.
func growAndShrink(_ seconds: Double) {
    let (kept, most) = (500, 250_000)
    let cache = ResourceCache<Int, Canary>("growing", limit: most)
    for key in 0..<kept { cache.insert(Canary(key: key, number: 1), for: key, priority: .onScreen) }
    let removals = Atomic<Int>(0)
    onThreads(4, for: seconds) { place, chance in
        if place > 1 {
            for _ in 0..<64 {
                let key = chance.below(kept)
                guard let value = cache.value(for: key) else { fail("key \(key) is on screen and is not found") }
                value.check(key)
                let other = kept + chance.below(most * 2)
                cache.value(for: other)?.check(other)
            }
            return
        }
        for _ in 0..<500 {
            let key = kept + chance.below(most * 2)
            cache.insert(Canary(key: key, number: 2), for: key)
        }
        guard cache.count > 60_000 + chance.below(most) else { return }
        removals.wrappingAdd(1, ordering: .relaxed)
        switch chance.below(4) {
        case 0: cache.trim(toFraction: 0.05)
        case 1: cache.trim(toCost: 0)
        case 2: cache.removeAll { key, _ in key >= kept && key % 16 != 0 }
        default:
            cache.limit = most / 20
            cache.limit = most
        }
    }
    expect(cache.totalCost <= most, "the cache holds \(cache.totalCost) with a limit of \(most)")
    cache.removeAll { key, _ in key >= kept }
    expect(cache.count == kept, "\(cache.count) values are left in place of the \(kept) on screen")
    for key in 0..<kept { expect(cache.peek(key) != nil, "key \(key) was on screen and is gone") }
}
