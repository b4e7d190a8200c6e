/// How much a cache may hold.
struct CacheLimits: Sendable {
    // The largest number there is stands for none.
    private(set) var hardLimit = Int.max
    private var softLimit = Int.max
    /// The lower one of the two.
    private(set) var lowerLimit = Int.max
    /// What a memory warning left, and how that grows again; `nil` if it has grown back.
    private var recovering: RecoveringLimit?

    /// - Parameters:
    ///   - hard: See ``hard``.
    ///   - soft: See ``soft``.
    init(hard: Int?, soft: Int?) {
        (self.hard, self.soft) = (hard, soft)
    }

    /// What the service allows; never exceeded for longer than a call, pins apart.
    ///
    /// `nil` for no limit; a negative one becomes 0.
    var hard: Int? {
        get { hardLimit == .max ? nil : hardLimit }
        set {
            hardLimit = max(0, newValue ?? .max)
            lowerLimit = min(softLimit, hardLimit)
        }
    }

    /// Above it everything leaves but what is on screen.
    ///
    /// Otherwise like ``hard``.
    var soft: Int? {
        get { softLimit == .max ? nil : softLimit }
        set {
            softLimit = max(0, newValue ?? .max)
            lowerLimit = min(softLimit, hardLimit)
        }
    }

    /// How many entries there may be; the largest number there is for no limit.
    var count = Int.max

    /// Whether a warning's limit counts, or did when it was last asked for.
    var isRecovering: Bool { recovering != nil }

    /// The cost that the cache tends to at this moment: the least of all limits.
    ///
    /// Also of what a warning left, for which nothing on screen leaves.
    ///
    /// - Parameter now: The time on the cache's clock, which is asked after a warning only.
    /// - Returns: The cost; the largest number there is for no limit.
    mutating func aim(at now: @autoclosure () -> UInt64) -> Int {
        recovering == nil ? lowerLimit : min(lowerLimit, max(floor, recovered(at: now())))
    }

    private mutating func recovered(at now: UInt64) -> Int {
        if let limit = recovering?.limit(at: now) { return limit }
        recovering = nil
        return .max
    }

    /// Memory is short: this much of what was held may stay.
    mutating func shrink(to kept: Int, from before: Int) {
        var limit = recovering ?? RecoveringLimit()
        limit.shrink(to: max(kept, floor), from: before)
        recovering = limit
    }

    /// What may always be held: a cache that was nearly empty when a warning came still has to be of use.
    private var floor: Int {
        min(hardLimit, max(hardLimit == .max ? 0 : hardLimit / 100, Self.leastFloor))
    }

    private static let leastFloor = 1 << 20

    /// Memory is no longer short.
    mutating func recover(at now: @autoclosure () -> UInt64) {
        guard recovering != nil else { return }
        recovering?.recover(at: now())
    }
}
