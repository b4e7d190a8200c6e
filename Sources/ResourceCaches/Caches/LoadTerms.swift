internal import Synchronization

/// The cost and priority of a value that is being loaded.
@usableFromInline
struct LoadTerms: Sendable {
    var cost: Int?
    var priority: CachePriority
    /// Whether a present value keeps its own priority instead.
    var keepsPriority: Bool
    /// For a prefetched value, which is stored only if it fits without an eviction.
    let warmth: CacheWarmth?

    @usableFromInline
    init(cost: Int?, priority: CachePriority, keepsPriority: Bool = false, warmth: CacheWarmth? = nil) {
        (self.cost, self.priority, self.keepsPriority, self.warmth) = (cost, priority, keepsPriority, warmth)
    }

    /// The terms of a refresh.
    ///
    /// - Parameters:
    ///   - cost: The cost of the value.
    ///   - priority: The new priority of the value; `nil` for that of the present one.
    init(cost: Int?, refreshing priority: CachePriority?) {
        self.init(cost: cost, priority: priority ?? .offScreen, keepsPriority: priority == nil)
    }
}

/// The progress of one call that prefetches values.
@usableFromInline
final class CacheWarmth: Sendable {
    /// Whether a value did not fit.
    let isFull = Atomic(false)
}
