/// The figures that a cache counts under its lock.
struct CacheFigures {
    var peakCost = 0
    /// Entries that returned after the cache evicted them.
    var regrets = 0
    /// Values that were not kept because there was no room for their cost.
    var refused = 0
    var loads = 0
    var failedLoads = 0
    private(set) var joinedLoads = 0
    /// Joined loads whose search was counted as a miss before.
    private(set) var joinedMisses: UInt64 = 0
    var loadTime = Duration.zero
    /// The cost of values that left because memory was short.
    var pressureCost = 0
    /// By reason; a reason's raw value is its index.
    private var removals = InlineArray<5, Int>(repeating: 0)

    mutating func count(_ reason: RemovalReason, _ cost: Int) {
        removals[Int(reason.rawValue)] += 1
        if reason == .pressure { pressureCost = pressureCost.addingSaturated(cost) }
    }

    mutating func noteJoin(afterMiss isAfterMiss: Bool) {
        joinedLoads += 1
        if isAfterMiss { joinedMisses += 1 }
    }

    mutating func noteLoad(since start: ContinuousClock.Instant) {
        loads += 1
        loadTime += start.duration(to: .now)
    }

    func removals(_ reason: RemovalReason) -> Int {
        removals[Int(reason.rawValue)]
    }
}
