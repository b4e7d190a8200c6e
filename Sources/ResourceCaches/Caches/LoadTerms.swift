internal import Synchronization

/// The cost and priority of a value that is being loaded.
@usableFromInline
struct LoadTerms: Sendable {
    var cost: Int?
    var priority: CachePriority
    /// For a prefetched value, which is stored only if it fits without an eviction.
    let warmth: CacheWarmth?

    @usableFromInline
    init(cost: Int?, priority: CachePriority, warmth: CacheWarmth? = nil) {
        (self.cost, self.priority, self.warmth) = (cost, priority, warmth)
    }
}

/// The progress of one call that prefetches values.
@usableFromInline
final class CacheWarmth: Sendable {
    /// Whether a value did not fit.
    let isFull = Atomic(false)
}
