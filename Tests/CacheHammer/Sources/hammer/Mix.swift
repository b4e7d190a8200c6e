import Canaries
import ResourceCaches
import Synchronization

/// Counts the mix's own calls, for comparison with the cache's statistics.
private final class Tally: Sendable {
    let reads = Atomic<Int>(0)
    let stores = Atomic<Int>(0)
    let told = Atomic<Int>(0)
}

/// Uses two caches in every way, on keys that all threads share.
///
/// - Parameters:
///   - seconds: The time.
///   - keys: The number of keys.
///   - limit: The cache's limit; a value costs 25 on average.
///   - values: The values' type.
///   - makeKey: Makes a key from a number.
func mix<Key: Hashable & Sendable, Value: CheckedValue>(
    _ seconds: Double,
    keys: Int,
    limit: Int,
    values: Value.Type,
    makeKey: @escaping @Sendable (Int) -> Key
) async {
    let tally = Tally()
    var options = ResourceCache<Key, Value>.Options()
    options.onRemoval = { removals in
        for removal in removals { expect(removal.cost >= 1, "a removal costs \(removal.cost)") }
        tally.told.wrappingAdd(removals.count, ordering: .relaxed)
    }
    // One of the two caches has a removal handler, which leads to other code paths.
    let cache = ResourceCache<Key, Value>("mix", limit: limit, options: options)
    let other = ResourceCache<Key, Value>("other", limit: limit / 2)
    if let cache = cache as? ResourceCache<Name, Canary> { Name.cache = cache }
    let cost: @Sendable (Int) -> Int = { 1 + $0 % 50 }

    onThreads(6, for: seconds) { place, chance in
        let number = chance.below(keys)
        let key = makeKey(number)
        let cache = chance.below(8) == 0 ? other : cache
        func read(_ key: Key) -> Value? {
            if cache !== other { tally.reads.wrappingAdd(1, ordering: .relaxed) }
            return cache.value(for: key)
        }
        func store(_ priority: CachePriority? = nil) {
            if cache !== other { tally.stores.wrappingAdd(1, ordering: .relaxed) }
            cache.insert(Value(key: number, number: place), for: key, cost: cost(number), priority: priority)
        }
        switch chance.below(1000) {
        case 0..<450:
            read(key)?.check(number)
        case 450..<500:
            if cache !== other { tally.reads.wrappingAdd(1, ordering: .relaxed) }
            cache.withValue(for: key) { value in
                value.check(number)
                let next = (number + 1) % keys
                read(makeKey(next))?.check(next)
                if chance.below(2) == 0 { store() } else { cache.remove(key)?.check(number) }
                value.check(number)
            }
        case 500..<560:
            cache.peek(key)?.check(number)
            _ = cache.contains(key)
        case 560..<780:
            store()
        case 780..<850:
            cache.remove(key)?.check(number)
        case 850..<900:
            store(CachePriority(rawValue: UInt8(chance.below(3))))
        case 900..<920:
            cache.setPriority(chance.below(2) == 0 ? .offScreen : .prefetched, for: key)
        case 920..<950:
            let duration: Duration? = chance.below(2) == 0 ? .microseconds(50) : nil
            if let pin = cache.pin(key, owner: "a thread", for: duration) {
                pin.value.check(number)
                store()
                cache.peek(key)?.check(number)
                pin.value.check(number)
            }
        case 950..<970:
            let reservation = cache.reserve(cost: 50)
            expect(reservation.cost == 0 || reservation.cost == 50, "\(reservation.cost) are reserved in place of 50")
            store()
        case 970..<975:
            cache.trim(toFraction: 0.8)
        case 975..<980:
            cache.limit = limit - chance.below(limit / 2)
        case 980..<990:
            _ = (cache.statistics, cache.pins, cache.hottest(3), cache.status(of: key))
        case 990..<992:
            cache.removeAll { _, value in
                value.number == place
            }
        case 992..<993:
            cache.removeAll()
        case 993..<994:
            cache.trim(toCost: 0)
        default:
            let isRemoved = chance.below(4) == 0
            if !isRemoved, cache !== other { tally.stores.wrappingAdd(1, ordering: .relaxed) }
            cache.update(key, cost: cost(number)) { value in
                value?.check(number)
                value = isRemoved ? nil : Value(key: number, number: place)
            }
        }
    }

    // A key's deinit would use the cache and change the counts.
    Name.cache = nil
    for (cache, limit) in [(cache, limit), (other, limit / 2)] {
        cache.limit = limit
        var (count, sum) = (0, 0)
        for number in 0..<keys {
            guard let value = cache.peek(makeKey(number)) else { continue }
            value.check(number)
            count += 1
            sum += cost(number)
        }
        let figures = cache.statistics
        expect(figures.count == count, "the cache counts \(figures.count) values and holds \(count)")
        expect(figures.cost == sum, "the cache says that it costs \(figures.cost), and its values cost \(sum)")
        expect(sum <= limit, "the cache holds \(sum) with a limit of \(limit)")
        expect(figures.pinnedCost == 0, "a cost of \(figures.pinnedCost) is still pinned")
        expect(figures.reservedCost == 0, "a cost of \(figures.reservedCost) is still reserved")
    }
    if Key.self != Name.self { compare(cache, tally) }
    for cache in [cache, other] {
        cache.removeAll()
        expect(cache.count == 0 && cache.totalCost == 0, "\(cache.count) values are left of all that were removed")
    }
    expect(Canary.living == 0, "\(Canary.living) values that were removed have not ended")
}

/// Compares a cache's statistics with the counts of its users.
private func compare<Key, Value>(_ cache: ResourceCache<Key, Value>, _ tally: Tally) {
    let figures = cache.statistics
    let (reads, stores) = (tally.reads.load(ordering: .relaxed), tally.stores.load(ordering: .relaxed))
    let told = tally.told.load(ordering: .relaxed)
    expect(
        figures.hits + figures.misses == UInt64(reads),
        "the cache counts \(figures.hits) hits and \(figures.misses) misses of \(reads) reads"
    )
    let left =
        figures.evictions + figures.expirations + figures.replacements + figures.removals + figures.pressureRemovals
    expect(left == told, "\(left) values have left, and \(told) were told")
    expect(
        stores == told + figures.count + figures.refusals,
        "\(stores) values were stored; \(told) have left, \(figures.count) are there, \(figures.refusals) were not kept"
    )
}
