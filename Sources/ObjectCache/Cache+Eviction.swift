internal import Synchronization

extension Cache {
    /// Entries that go, and who is to be told.
    struct Departure: Sendable {
        var entries: [Entry] = []
        var delegate: (any CacheDelegate<Key, Object>)?
    }

    /// Changes the state, and sees to what goes for it.
    func evict(_ change: (inout State) -> [Entry]) {
        let departure = take(change)
        for entry in departure.entries { finish(entry, telling: departure.delegate) }
    }

    /// The first half of an eviction, under the lock.
    func take(_ change: (inout State) -> [Entry]) -> Departure {
        state.withLock { state in
            let gone = change(&state)
            guard !gone.isEmpty else { return Departure() }
            // Handed out and not only looked at: what may be the last reference to it must not end under the lock.
            let delegate = state.delegate
            if delegate != nil { state.keepReadable(gone) }
            return Departure(entries: gone, delegate: delegate)
        }
    }

    /// The second half, without the lock: rule 7.11 wants the delegate told first.
    func finish(_ entry: Entry, telling delegate: (any CacheDelegate<Key, Object>)?) {
        if let delegate {
            delegate.cache(self, willEvictObject: entry.object)
            state.withLock { $0.forget(entry) }
        }
        entry.content?.discardContentIfPossible()
    }
}
