/// A walk over all entries of a cache, a few at a time, that finds expired entries which no call reads.
struct ExpirySweep {
    /// Whether there ever was an entry with times.
    var isNeeded = false
    private var next = EntryStore.first

    /// Returns the next expired entry of the walk, or `nil` if there is none within `steps`; after the last entry it goes on
    /// with the first.
    ///
    /// - Parameters:
    ///   - steps: The number of entries to examine; counts down.
    ///   - now: The time of the cache's clock.
    ///   - store: The entries.
    ///   - view: Their memory.
    /// - Returns: The entry, still in its queue.
    mutating func nextExpired(steps: inout Int, now: UInt64, in store: EntryStore, _ view: CacheView.Pointer) -> UInt32?
    {
        guard isNeeded else { return nil }
        while steps > 0 {
            steps -= 1
            guard let entry = store.entry(from: &next) else { continue }
            let marks = view.pointee.header(of: entry).pointee.marks
            // Pinned entries stay.
            guard marks.contains([.isListed, .isTimed]), !marks.contains(.isPinned) else { continue }
            if view.pointee.times(of: entry).pointee.hasExpired(at: now) { return entry }
        }
        return nil
    }
}
