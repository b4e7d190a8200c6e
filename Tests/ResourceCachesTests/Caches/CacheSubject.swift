import TestSupport
import Testing

@testable import ResourceCaches

/// A cache on which random calls run, and the model that it is compared with after each of them.
final class CacheSubject {
    typealias Cache = ResourceCache<Int, Int>

    private final class Pinned {
        let pin: Cache.Pin

        init(_ pin: consuming Cache.Pin) { self.pin = pin }
    }

    private final class Reserved {
        let reservation: CacheReservation

        init(_ reservation: consuming CacheReservation) { self.reservation = reservation }
    }

    /// Receives the cache's removals, and checks that the cache reports them outside of its lock.
    private final class Listener: Sendable {
        let removals = Locked<[CacheRemoval<Int, Int>]>([])
        let cache = Locked<Cache?>(nil)

        func hear(_ removals: [CacheRemoval<Int, Int>]) {
            self.removals.withLock { $0 += removals }
            // This call would deadlock if the lock were held.
            _ = cache.withLock(\.self)?.count
        }

        func take() -> [CacheRemoval<Int, Int>] {
            removals.withLock { removals in
                defer { removals = [] }
                return removals
            }
        }
    }

    let cache: Cache
    private let keys = 0..<12
    private let clock = ManualClock()
    private let reclaimer = Reclaimer()
    private let listener = Listener()
    private var generator: SeededGenerator
    private var model = CacheModel()
    private var pins: [(number: Int, pin: Pinned)] = []
    private var reservations: [Reserved] = []
    private var lastNumber = 0
    private var stored = 0
    private var refused = 0
    private var hits = 0
    private var misses = 0
    private let timeToLive: Int?
    private(set) var problems: [String] = []

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var options = Cache.Options()
        options.onRemoval = { [listener] in listener.hear($0) }
        options.weigher = { _, value in value % 10 }
        options.useClock(clock)
        let limit = Bool.random(using: &generator) ? Int.random(in: 5...40, using: &generator) : nil
        if Int.random(in: 0..<3, using: &generator) == 0 { options.softLimit = (limit ?? 30) * 2 / 3 }
        timeToLive = Int.random(in: 0..<3, using: &generator) == 0 ? 1500 : nil
        if Int.random(in: 0..<3, using: &generator) == 0 { model.timeToIdle = 900 }
        options.timeToLive = timeToLive.map { .milliseconds($0) }
        options.timeToIdle = model.timeToIdle.map { .milliseconds($0) }
        cache = reclaimer.use { Cache("K", limit: limit, options: options) }
        self.generator = generator
        listener.cache.withLock { $0 = cache }
    }

    /// Releases the cache, which the listener keeps.
    func end() {
        listener.cache.withLock { $0 = nil }
    }

    private func random(_ range: Range<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    private func expect(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
        if !isTrue { problems.append(problem()) }
    }

    /// Makes a random call, and compares the cache with the model.
    func step() {
        let key = random(keys)
        switch random(0..<32) {
        case 0..<9: insert(key)
        case 9..<13: read(key)
        case 13, 14: remove(key)
        case 15, 16: load(key)
        case 17: pin(key)
        case 18: unpin()
        case 19: setPriority(key)
        case 20: reserve()
        case 21: if !reservations.isEmpty { reservations.removeFirst() }
        case 22: trim()
        case 23: pressure()
        case 24: reclaimer.pressureDidEnd()
        case 25 where random(0..<4) == 0: removeAll()
        case 26 where random(0..<2) == 0: removeWhere()
        case 27 where random(0..<3) == 0: setLimits()
        default: pass()
        }
        check()
    }
}

// The calls.
extension CacheSubject {
    private func insert(_ key: Int) {
        lastNumber += 1
        let (value, priority) = (lastNumber, CachePriority.allCases[random(0..<3)])
        let cost = random(0..<2) == 0 ? random(0..<12) : nil
        let ownTime = random(0..<4) == 0 ? random(1..<1000) : nil
        let duration = ownTime.map { Duration.milliseconds($0) }
        cache.insert(value, for: key, cost: cost, priority: priority, timeToLive: duration)
        noteStore(key, value, cost ?? value % 10, priority, ownTime ?? timeToLive)
    }

    private func load(_ key: Int) {
        let expected = model.value(for: key)
        lastNumber += 1
        let (value, priority) = (lastNumber, CachePriority.allCases[random(0..<3)])
        let found = cache.value(for: key, priority: priority) { value }
        expect(found == expected ?? value, "loaded \(found) for \(key)")
        noteRead(key)
        if expected == nil { noteStore(key, value, value % 10, priority, timeToLive) }
    }

    /// Notes that a value was stored or refused.
    ///
    /// The cache first reports the previous value, then the evicted ones.
    private func noteStore(_ key: Int, _ value: Int, _ cost: Int, _ priority: CachePriority, _ timeToLive: Int?) {
        stored += 1
        // The lookup before a load removes values that have expired.
        var removals = listener.take()
        hear(removals.filter { $0.reason == .expired }, for: .removal)
        removals.removeAll { $0.reason == .expired }
        if model.present[key] != nil {
            if let problem = model.replace(removals.first, for: key) { problems.append(problem) }
            removals.removeFirst(min(1, removals.count))
        }
        let refusals = cache.statistics.refusals
        if refusals > refused {
            refused = refusals
            model.forget(key)
            // Values may have left because a pin has ended that held the cost above the limits.
            expect(removals.isEmpty || isAboveLimits, "\(removals) left for a value that was refused")
            hear(removals, for: .limit(isHard: cache.limit != nil))
            checkLimits()
        } else {
            model.store(value, for: key, cost: cost, priority: priority, timeToLive: timeToLive)
            hear(removals, for: .limit(isHard: cache.limit != nil))
            checkLimits()
        }
    }

    private func read(_ key: Int) {
        let found = random(0..<2) == 0 ? cache.value(for: key) : cache.withValue(for: key) { $0 }
        expect(found == model.value(for: key), "read \(String(describing: found)) for \(key)")
        noteRead(key)
        // A read removes only expired values.
        hear(for: .removal)
    }

    private func noteRead(_ key: Int) {
        if model.value(for: key) == nil { misses += 1 } else { hits += 1 }
        model.noteRead(of: key)
    }

    private func remove(_ key: Int) {
        let removed = cache.remove(key)
        expect(removed == model.value(for: key), "removed \(String(describing: removed)) for \(key)")
        hear(for: .removal)
    }

    private func removeAll() {
        cache.removeAll()
        hear(for: .removal)
        expect(model.present.isEmpty, "not all were removed")
    }

    private func removeWhere() {
        let doomed = model.present.filter { $0.value.value % 2 == 0 }
        let removed = cache.removeAll { _, value in value % 2 == 0 }
        expect(removed == doomed.values.filter { model.isGood($0) }.count, "\(removed) were removed")
        hear(for: .removal)
        expect(!model.present.values.contains { $0.value % 2 == 0 }, "not all were removed for which it holds")
    }

    private func pin(_ key: Int) {
        let end = random(0..<2) == 0 ? random(1..<2000) : nil
        let pin = cache.pin(key, owner: "o", for: end.map { .milliseconds($0) })
        guard let pin else { return expect(model.value(for: key) == nil, "\(key) could not be pinned") }
        expect(pin.value == model.value(for: key), "pinned \(pin.value)")
        lastNumber += 1
        model.pins[lastNumber] = (key, end.map { model.now + $0 })
        if model.present[key]?.spare == .yes { model.present[key]?.spare = .perhaps }
        pins.append((lastNumber, Pinned(pin)))
    }

    private func unpin() {
        guard !pins.isEmpty else { return }
        let number = pins.remove(at: random(pins.indices)).number
        model.pins[number] = nil
        hear(for: .limit(isHard: cache.limit != nil))
        checkLimits()
    }

    private func setPriority(_ key: Int) {
        let priority = CachePriority.allCases[random(0..<3)]
        let isThere = cache.setPriority(priority, for: key)
        expect(isThere == (model.value(for: key) != nil), "the priority of \(key) was set: \(isThere)")
        guard isThere else { return hear(for: .limit(isHard: cache.limit != nil)) }
        model.present[key]?.isOnScreen = priority == .onScreen
        model.present[key]?.spare = priority == .prefetched ? .perhaps : .no
        hear(for: .limit(isHard: cache.limit != nil))
        checkLimits()
    }

    private func reserve() {
        reservations.append(Reserved(cache.reserve(cost: random(0..<15))))
        hear(for: .limit(isHard: cache.limit != nil))
        checkLimits()
    }

    private func trim() {
        let target = random(0..<2) == 0 ? random(0..<30) : model.cost / 2
        let before = model.cost
        let trimmed = target == before / 2 ? cache.trim(toFraction: 0.5) : cache.trim(toCost: target)
        hear(for: .trim)
        expect(trimmed == before - model.cost, "trimmed \(trimmed)")
        expect(model.cost <= target || isEverythingKept, "\(model.cost) are left of \(target)")
    }

    private func pressure() {
        let level = random(0..<2) == 0 ? PressureLevel.warning : .critical
        let wanted = random(0..<3) == 0 ? random(1..<30) : 0
        let before = model.cost
        let isAllReleasable = !model.present.contains { $0.value.isOnScreen || model.isHeld($0.key) }
        let released = reclaimer.reclaim(for: ReclaimRequest(level: level, bytesWanted: UInt64(wanted)))
        hear(for: .pressure)
        expect(Int(released) == before - model.cost, "released \(released)")
        if wanted == 0, before > 0, isAllReleasable {
            expect(model.cost <= level.kept(of: before), "\(model.cost) of \(before) are left at \(level)")
        } else if wanted > 0 {
            expect(Int(released) >= min(wanted, before) || isEverythingKept, "\(released) of \(wanted)")
        }
    }

    private func setLimits() {
        if random(0..<2) == 0 {
            cache.limit = random(0..<2) == 0 ? random(0..<40) : nil
        } else {
            cache.softLimit = random(0..<2) == 0 ? random(0..<30) : nil
        }
        hear(for: .limit(isHard: cache.limit != nil))
        checkLimits()
    }

    private func pass() {
        let milliseconds = random(0..<8) == 0 ? 20_000 : random(1..<400)
        clock.advance(by: .milliseconds(milliseconds))
        model.now += milliseconds
    }
}

// The comparison.
extension CacheSubject {
    private func hear(for cause: CacheModel.Cause) {
        hear(listener.take(), for: cause)
    }

    private func hear(_ removals: [CacheRemoval<Int, Int>], for cause: CacheModel.Cause) {
        for removal in removals { if let problem = model.leave(removal, for: cause) { problems.append(problem) } }
    }

    /// Whether all remaining values are exempt from the soft limit or cost nothing.
    private var isEverythingKept: Bool {
        model.present.allSatisfy { $0.value.isOnScreen || model.isHeld($0.key) || $0.value.cost == 0 }
    }

    private var isAboveLimits: Bool {
        model.cost + cache.statistics.reservedCost > min(cache.limit ?? .max, cache.softLimit ?? .max)
    }

    private func checkLimits() {
        let total = model.cost + cache.statistics.reservedCost
        if let limit = cache.limit {
            expect(total <= limit || model.present.keys.allSatisfy(model.isPinned), "\(total) of \(limit)")
        }
        if let limit = cache.softLimit { expect(total <= limit || isEverythingKept, "\(total) of soft \(limit)") }
    }

    private func check() {
        for key in keys {
            let expected = model.value(for: key)
            expect(cache.peek(key) == expected, "\(key) is not \(String(describing: expected))")
            expect(cache.contains(key) == (expected != nil), "\(key) is there, or the reverse")
        }
        let statistics = cache.statistics
        expect((statistics.count, statistics.cost) == (model.present.count, model.cost), "holds \(statistics)")
        expect((cache.count, cache.totalCost) == (model.present.count, model.cost), "holds \(statistics)")
        expect((statistics.hits, statistics.misses) == (UInt64(hits), UInt64(misses)), "\(hits) hits: \(statistics)")
        let told: [RemovalReason: Int] = [
            .evicted: statistics.evictions, .expired: statistics.expirations, .replaced: statistics.replacements,
            .removed: statistics.removals, .pressure: statistics.pressureRemovals,
        ]
        expect(told == model.told.merging(told) { told, _ in told }, "told of \(model.told) and not \(told)")
        let gone = told.values.reduce(0, +) + statistics.refusals
        expect(stored == model.present.count + gone, "\(stored) were stored")
        expect(statistics.peakCost >= model.cost, "the peak was \(statistics.peakCost)")
        let pinned = model.present.filter { model.isPinned($0.key) }.values.reduce(0) { $0 + $1.cost }
        let held = model.present.filter { model.isHeld($0.key) }.values.reduce(0) { $0 + $1.cost }
        expect((pinned...held).contains(statistics.pinnedCost), "\(statistics.pinnedCost) are pinned")
        let strangers = listener.take()
        expect(strangers.isEmpty, "\(strangers) left for no reason")
    }
}
