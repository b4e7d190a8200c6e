/// How much a cache may hold.
struct CacheLimits: Sendable {
    /// What the service allows; never exceeded for longer than a call, pins apart.
    var hard: Int?
    /// Above it everything leaves but what is on screen.
    var soft: Int?
    /// What a memory warning left, and how that grows again; `nil` if it has grown back.
    private(set) var recovering: RecoveringLimit?

    var areSet: Bool { hard != nil || soft != nil || recovering != nil }

    /// The soft limit at this moment: also after want of memory nothing on screen leaves.
    mutating func soft(at clock: CacheClock) -> Int? {
        guard let recovering else { return soft }
        guard let recovered = recovering.limit(at: clock.now()) else {
            self.recovering = nil
            return soft
        }
        return min(soft ?? .max, recovered)
    }

    /// The cost that the cache tends to at this moment; `nil` for no limit.
    mutating func aim(at clock: CacheClock) -> Int? {
        guard let soft = soft(at: clock) else { return hard }
        return min(soft, hard ?? .max)
    }

    /// Memory is short: this much of what was held may stay.
    mutating func shrink(to kept: Int, from before: Int) {
        recovering = recovering ?? RecoveringLimit()
        recovering?.shrink(to: kept, from: before)
    }

    /// Memory is no longer short.
    mutating func recover(at clock: CacheClock) {
        guard recovering != nil else { return }
        recovering?.recover(at: clock.now())
    }
}
