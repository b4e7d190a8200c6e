internal import ResourceCaches

extension Cache {
    struct Entry: Sendable {
        let key: Key
        let object: Object
        let cost: Int
        /// The object again, if it is discardable: asked for once, as such a cast is a search.
        let content: (any DiscardableContent)?

        init(key: Key, object: Object, cost: Int) {
            self.key = key
            self.object = object
            self.cost = cost
            content = object as? any DiscardableContent
        }
    }

    /// What a cache holds and which of it has to go.
    ///
    /// What goes is returned, in the order in which the delegate is to hear of it: neither it nor the content of an
    /// object may be called under the lock.
    struct State {
        var name = ""
        var countLimit = 0
        var totalCostLimit = 0
        var evictsObjectsWithDiscardedContent = true
        var reactsToMemoryWarnings = true
        weak var delegate: (any CacheDelegate<Key, Object>)?

        private var entries = RecencyList<Key, Entry>()
        /// Those the delegate has yet to be told about: they count no more, but can still be read.
        private var leaving: [Key: Entry] = [:]

        var totalCost: Int { entries.totalCost }
        var isNobodyLeaving: Bool { leaving.isEmpty }

        mutating func use(_ key: Key) -> Entry? {
            if let entry = entries.use(key) { return entry }
            return isNobodyLeaving ? nil : leaving[key]
        }

        /// - Returns: What goes, and an entry of the same object, which is told to no delegate.
        mutating func insert(_ entry: Entry) -> (gone: [Entry], former: Entry?) {
            leaving[entry.key] = nil
            var gone: [Entry] = []
            // Rule 7.6: one that is too dear by itself must not cost the others their place.
            let isTooDear = totalCostLimit > 0 && entry.cost > totalCostLimit
            let replaced =
                isTooDear ? entries.remove(entry.key) : entries.insert(entry, for: entry.key, cost: entry.cost)
            // The same object set again stays, perhaps with another cost; its content is wanted.
            if let replaced, replaced.object !== entry.object { gone.append(replaced) }
            if isTooDear { gone.append(entry) }
            gone += enforceLimits()
            return (gone, replaced)
        }

        /// Rule 7.4.
        mutating func enforceLimits() -> [Entry] {
            var gone: [Entry] = []
            while exceedsLimit, let entry = entries.removeOldest() { gone.append(entry) }
            return gone
        }

        private var exceedsLimit: Bool {
            (countLimit > 0 && entries.count > countLimit) || (totalCostLimit > 0 && totalCost > totalCostLimit)
        }

        mutating func remove(_ key: Key) -> [Entry] {
            // Also if another thread is about to: who has removed a key does not find it afterwards.
            leaving[key] = nil
            return entries.remove(key).map { [$0] } ?? []
        }

        /// Removes an entry unless it is gone, or its object replaced, since it was looked at.
        mutating func remove(_ entry: Entry) -> [Entry] {
            guard entries.use(entry.key)?.object === entry.object else { return [] }
            return entries.remove(entry.key).map { [$0] } ?? []
        }

        mutating func removeAll() -> [Entry] {
            leaving = [:]
            return drain()
        }

        /// Removes all but the discardable entries, and returns all.
        ///
        /// Whether anybody is using a content can only be asked outside the lock.
        mutating func removeAllPlain() -> [Entry] {
            let all = drain()
            for entry in all where entry.content != nil {
                _ = entries.insert(entry, for: entry.key, cost: entry.cost)
            }
            return all
        }

        /// Empties the list, and gives back its own memory as well.
        private mutating func drain() -> [Entry] {
            var gone: [Entry] = []
            gone.reserveCapacity(entries.count)
            while let entry = entries.removeOldest() { gone.append(entry) }
            entries = RecencyList()
            return gone
        }

        /// Keeps what went from the list readable until ``forget(_:)``.
        mutating func keepReadable(_ gone: [Entry]) {
            for entry in gone where !entries.contains(entry.key) { leaving[entry.key] = entry }
        }

        mutating func forget(_ entry: Entry) {
            guard leaving[entry.key]?.object === entry.object else { return }
            leaving[entry.key] = nil
        }
    }
}
