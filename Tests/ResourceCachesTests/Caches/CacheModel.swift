import TestSupport

@testable import ResourceCaches

/// The contents of a cache after a history of calls and of values that left, under any eviction policy.
struct CacheModel {
    /// A value in the cache.
    struct Present {
        var value: Int
        var cost: Int
        var stored: Int
        var lastUse: Int
        var timeToLive: Int?
        var isOnScreen: Bool
        var spare: Spare
    }

    /// Whether a value is among the prefetched and unread ones, which leave before all others.
    enum Spare {
        case no
        /// The value may have been read, or changed, before it became a prefetched one.
        case perhaps
        case yes
    }

    /// The reason why values may leave during the present call, apart from expiry.
    enum Cause {
        case limit(isHard: Bool)
        case removal
        case trim
        case pressure

        var isByHand: Bool { if case .removal = self { true } else { false } }
    }

    var present: [Int: Present] = [:]
    /// In milliseconds.
    var now = 0
    var timeToIdle: Int?
    /// The pins by number, from their creation until they end or their value leaves.
    var pins: [Int: (key: Int, end: Int?)] = [:]
    private(set) var told: [RemovalReason: Int] = [:]

    var cost: Int { present.values.reduce(0) { $0 + $1.cost } }

    func isGood(_ value: Present) -> Bool {
        if let timeToLive = value.timeToLive, now - value.stored >= timeToLive { return false }
        if let timeToIdle, now - value.lastUse >= timeToIdle { return false }
        return true
    }

    /// The value that a read finds.
    func value(for key: Int) -> Int? {
        present[key].flatMap { isGood($0) ? $0.value : nil }
    }

    /// Whether the value may not be evicted.
    func isPinned(_ key: Int) -> Bool {
        pins.values.contains { pin in pin.key == key && pin.end.map { now < $0 } ?? true }
    }

    /// Whether the value has a pin, even an expired one that the cache may not have noticed yet.
    func isHeld(_ key: Int) -> Bool {
        pins.values.contains { $0.key == key }
    }

    mutating func noteRead(of key: Int) {
        guard let value = present[key], isGood(value) else { return }
        present[key]?.lastUse = now
        present[key]?.spare = .no
    }

    /// Notes a value that was stored for a key, in place of the previous one.
    mutating func store(_ value: Int, for key: Int, cost: Int, priority: CachePriority, timeToLive: Int?) {
        present[key] = Present(
            value: value,
            cost: cost,
            stored: now,
            lastUse: now,
            timeToLive: timeToLive,
            isOnScreen: priority == .onScreen,
            spare: priority != .prefetched ? .no : present[key] == nil ? .yes : .perhaps
        )
    }

    /// Notes a value that makes room for another one with its key, and returns a description of what is wrong with it.
    mutating func replace(_ removal: CacheRemoval<Int, Int>?, for key: Int) -> String? {
        guard let removal, removal.reason == .replaced, removal.key == key else {
            return "what was replaced was not told"
        }
        told[.replaced, default: 0] += 1
        return check(removal)
    }

    mutating func forget(_ key: Int) {
        present[key] = nil
        pins = pins.filter { $0.value.key != key }
    }

    /// Notes a value that has left, and returns a description of what is wrong with that.
    mutating func leave(_ removal: CacheRemoval<Int, Int>, for cause: Cause) -> String? {
        told[removal.reason, default: 0] += 1
        if let problem = check(removal) { return problem }
        defer { forget(removal.key) }
        if isPinned(removal.key), !cause.isByHand { return "\(removal) left, which is pinned" }
        switch (removal.reason, cause) {
        case (.expired, _): return value(for: removal.key) == nil ? nil : "\(removal) left before its time"
        case (.removed, .removal): return nil
        case (.evicted, .limit(let isHard)): return checkOrder(removal, sparesOnScreen: !isHard)
        case (.evicted, .trim), (.pressure, .pressure): return checkOrder(removal, sparesOnScreen: true)
        default: return "\(removal) left for \(cause)"
        }
    }

    private func check(_ removal: CacheRemoval<Int, Int>) -> String? {
        guard let value = present[removal.key], value.value == removal.value else { return "\(removal) is not there" }
        return value.cost == removal.cost ? nil : "\(removal) cost \(value.cost)"
    }

    private func checkOrder(_ removal: CacheRemoval<Int, Int>, sparesOnScreen: Bool) -> String? {
        guard let value = present[removal.key] else { return nil }
        let others = present.filter { $0.key != removal.key && !isHeld($0.key) }.values
        if value.isOnScreen, sparesOnScreen { return "\(removal) left, which is on screen" }
        if value.isOnScreen, others.contains(where: { !$0.isOnScreen }) {
            return "\(removal) left before one off screen"
        }
        if value.spare == .no, others.contains(where: { $0.spare == .yes }) {
            return "\(removal) left before one fetched ahead"
        }
        return nil
    }
}
