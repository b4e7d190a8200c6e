/// What a cache counts under its lock.
struct CacheFigures {
    var peakCost = 0
    /// Entries that came back after the cache had them leave.
    var regrets = 0
    /// Values that were not kept, since there is no room for what they cost.
    var refused = 0
    var loads = 0
    var failedLoads = 0
    private(set) var joinedLoads = 0
    /// Those whose look at the cache was counted as a miss before.
    private(set) var joinedMisses: UInt64 = 0
    var loadTime = Duration.zero
    /// The cost of what left for want of memory.
    var pressureCost = 0
    /// By reason; a reason's raw value is its place.
    private var removals = InlineArray<5, Int>(repeating: 0)

    mutating func count(_ reason: RemovalReason, _ cost: Int) {
        removals[Int(reason.rawValue)] += 1
        if reason == .pressure { pressureCost += cost }
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
