internal import Synchronization

/// What a value that is being loaded will cost and how much it would be missed.
@usableFromInline
struct LoadTerms: Sendable {
    var cost: Int?
    var priority: CachePriority
    /// Of a value that is stored only if no other has to leave for it, as long as it is merely fetched ahead.
    let warmth: CacheWarmth?

    @usableFromInline
    init(cost: Int?, priority: CachePriority, warmth: CacheWarmth? = nil) {
        (self.cost, self.priority, self.warmth) = (cost, priority, warmth)
    }
}

/// How far the loads of one call that fetches values ahead have come.
@usableFromInline
final class CacheWarmth: Sendable {
    /// Whether a value came that did not fit.
    let isFull = Atomic(false)
}
