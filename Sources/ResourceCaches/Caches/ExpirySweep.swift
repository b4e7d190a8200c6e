/// A walk over all entries of a cache, a few at a time, that finds those out of date which are not asked for.
struct ExpirySweep {
    /// Whether there ever was an entry with times.
    var isNeeded = false
    private var next = EntryStore.first

    /// The entry that the walk comes to next and that is out of date, or `nil` if the next ones are not.
    ///
    /// - Parameters:
    ///   - steps: How many entries to look at; counts down.
    ///   - now: The time on the cache's clock.
    ///   - store: Which entries there are.
    ///   - view: Where they lie.
    /// - Returns: The entry, still in its queue.
    mutating func nextExpired(steps: inout Int, now: UInt64, in store: EntryStore, _ view: CacheView.Pointer) -> UInt32?
    {
        guard isNeeded else { return nil }
        while steps > 0 {
            steps -= 1
            guard let entry = store.entry(from: &next) else { return nil }
            let marks = view.pointee.header(of: entry).pointee.marks
            // What is pinned stays.
            guard marks.contains([.isListed, .isTimed]), !marks.contains(.isPinned) else { continue }
            if view.pointee.times(of: entry).pointee.hasExpired(at: now) { return entry }
        }
        return nil
    }
}
