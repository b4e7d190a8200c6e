/// The limits of a cache.
struct CacheLimits: Sendable {
    // `Int.max` stands for no limit.
    private(set) var hardLimit = Int.max
    private var softLimit = Int.max
    /// The lower of the two.
    private(set) var lowerLimit = Int.max
    /// The limit that a memory warning left, and its growth; `nil` once it has recovered.
    private var recovering: RecoveringLimit?

    /// - Parameters:
    ///   - hard: See ``hard``.
    ///   - soft: See ``soft``.
    init(hard: Int?, soft: Int?) {
        (self.hard, self.soft) = (hard, soft)
    }

    /// The service's limit; exceeded only by pins, and within a call.
    ///
    /// `nil` for no limit; a negative one becomes 0.
    var hard: Int? {
        get { hardLimit == .max ? nil : hardLimit }
        set {
            hardLimit = max(0, newValue ?? .max)
            lowerLimit = min(softLimit, hardLimit)
        }
    }

    /// Above it everything leaves except values on screen.
    ///
    /// Otherwise like ``hard``.
    var soft: Int? {
        get { softLimit == .max ? nil : softLimit }
        set {
            softLimit = max(0, newValue ?? .max)
            lowerLimit = min(softLimit, hardLimit)
        }
    }

    /// The maximum number of entries; `Int.max` for no limit.
    var count = Int.max

    /// Whether a warning's limit applies, or applied at the last query.
    var isRecovering: Bool { recovering != nil }

    /// The cost that the cache aims at now: the lowest of all limits.
    ///
    /// This includes a warning's limit, for which nothing on screen leaves.
    ///
    /// - Parameters:
    ///   - now: The time of the cache's clock, which is read only after a warning.
    ///   - exempt: The reserved cost that does not count for a warning's limit.
    /// - Returns: The cost; `Int.max` for no limit.
    mutating func aim(at now: @autoclosure () -> UInt64, exempting exempt: Int = 0) -> Int {
        guard recovering != nil else { return lowerLimit }
        return min(lowerLimit, max(floor, recovered(at: now())).addingSaturated(exempt))
    }

    private mutating func recovered(at now: UInt64) -> Int {
        if let limit = recovering?.limit(at: now) { return limit }
        recovering = nil
        return .max
    }

    /// Lowers the limit because memory is short: `kept` of the cost `before` may stay.
    mutating func shrink(to kept: Int, from before: Int) {
        var limit = recovering ?? RecoveringLimit()
        limit.shrink(to: max(kept, floor), from: before)
        recovering = limit
    }

    /// Raises the limit of the last warning: this cost may stay, because it could not leave.
    mutating func keep(_ kept: Int) {
        recovering?.keep(kept)
    }

    /// The cost that is always allowed: a cache that was nearly empty at a warning still has to be useful.
    private var floor: Int {
        min(hardLimit, max(hardLimit == .max ? 0 : hardLimit / 100, Self.leastFloor))
    }

    private static let leastFloor = 1 << 20

    /// Begins to raise the limit, because memory is no longer short.
    mutating func recover(at now: @autoclosure () -> UInt64) {
        guard recovering != nil else { return }
        recovering?.recover(at: now())
    }
}
