/// A walk over all entries of a cache, a few at a time, that finds those out of date which nobody asks for.
struct ExpirySweep {
    /// Whether there ever was an entry with times.
    var isNeeded = false
    private var next = EntrySlab.first

    /// The entry that the walk comes to next and that is out of date, or `nil` if the next ones are not.
    ///
    /// - Parameters:
    ///   - steps: How many entries to look at; counts down.
    ///   - now: The time on the cache's clock.
    ///   - slab: Which entries there are.
    ///   - view: Where they lie.
    /// - Returns: The entry, still in its queue.
    mutating func takeExpired(steps: inout Int, now: UInt64, in slab: EntrySlab, _ view: CacheView.Pointer) -> UInt32? {
        guard isNeeded else { return nil }
        while steps > 0 {
            steps -= 1
            guard let entry = slab.entry(from: &next) else { return nil }
            let header = view.pointee.header(of: entry)
            // What is pinned stays, and what has left is in no queue either.
            guard header.pointee.queue != .none, header.pointee.isTimed else { continue }
            if view.pointee.times(of: entry).pointee.hasExpired(at: now) { return entry }
        }
        return nil
    }
}
