internal import MemoryPressure

extension ResourceCache {
    /// A value that may not leave the cache for as long as this is kept.
    ///
    /// It cannot be copied, and the pin ends with it: at the end of its scope, or at `_ = consume pin`. What ``pin(_:owner:for:)``
    /// returns is unwrapped by `if let` or `guard let`; macros such as `#require` take no such values.
    public struct Pin: ~Copyable, Sendable {
        /// The value's key.
        public let key: Key
        /// The value as it was when it was pinned.
        public let value: Value
        private let cache: ResourceCache
        private let id: UInt64

        fileprivate init(_ cache: ResourceCache, _ id: UInt64, key: Key, value: Value) {
            (self.cache, self.id, self.key, self.value) = (cache, id, key, value)
        }

        deinit {
            cache.unpin(id)
        }
    }

    /// A pin that holds a value.
    public struct PinDescription: Sendable {
        /// The value's key.
        public let key: Key
        /// What pinned it.
        public let owner: String
        /// How long the pin still holds; `nil` for as long as it is kept.
        public let remaining: Duration?
    }

    /// Keeps the value for a key from leaving, be it for a limit or for want of memory, until the pin ends.
    ///
    /// For a value in use that must not be loaded twice, or is not written back yet. If another value is stored for the
    /// key, the pin holds that one. To remove the key by hand removes the value all the same.
    /// Waits for changes under way, constant time.
    ///
    /// - Parameters:
    ///   - key: The key; not a use of its value.
    ///   - owner: What pins it, for reports.
    ///   - duration: After which time the pin no longer holds, even if it is kept: for an owner that forgets. It is
    ///     looked at when others cannot make room, by a `trim` and at a memory warning.
    /// - Returns: The pin, which keeps the cache; `nil` if there is no value, if its time is up, or if it has left while it was
    ///   used and there is no room to put it back.
    public func pin(_ key: Key, owner: String, for duration: Duration? = nil) -> Pin? {
        let hash = hash(of: key)
        if view.pointee.mayHaveAbsentees { _ = takeBack(key, hash: hash) }
        let nanoseconds = duration.map { UInt64(max(0, $0.nanoseconds)) }
        let pinned: (id: UInt64, value: Value)? = withCore { core in
            let entry = find(key, hash: hash)
            guard entry != 0, isGood(entry) else { return nil }
            return (core.pointee.pin(entry, owner: owner, for: nanoseconds), value(of: entry).pointee)
        }
        return pinned.map { Pin(self, $0.id, key: key, value: $0.value) }
    }

    /// All pins that hold, in no order.
    ///
    /// Waits for changes under way; takes time in proportion to the number of pins.
    public var pins: [PinDescription] {
        withCore { core in
            let now = view.pointee.clock.now()
            return core.pointee.pins.records.values.filter { $0.ends > now }.map { record in
                PinDescription(
                    key: key(of: record.entry).pointee,
                    owner: record.owner,
                    remaining: record.ends == .max ? nil : .nanoseconds(Int64(clamping: record.ends - now))
                )
            }
        }
    }

    /// Says how much the value for a key would be missed from now on.
    ///
    /// A pinned one takes that place when it is no longer pinned. What a ``softLimit`` or a memory warning allows on screen
    /// only leaves if it is not on screen any more. Waits for changes under way, constant time.
    ///
    /// - Returns: `false` if there is no value, or none that ``pin(_:owner:for:)`` would pin.
    @discardableResult
    public func setPriority(_ priority: CachePriority, for key: Key) -> Bool {
        let hash = hash(of: key)
        if view.pointee.mayHaveAbsentees { _ = takeBack(key, hash: hash) }
        var isThere: Bool?
        change { core, departures in
            if isThere == nil {
                let entry = find(key, hash: hash)
                isThere = entry != 0 && isGood(entry)
                if isThere == true { core.pointee.setPriority(priority, of: entry) }
            }
            // What is no longer on screen may be too much.
            return settleLimits(core, &departures)
        }
        return isThere == true
    }

    private func unpin(_ id: UInt64) {
        var isUnpinned = false
        change { core, departures in
            if !isUnpinned { core.pointee.unpin(id) }
            isUnpinned = true
            return evictOverfull(core, &departures)
        }
    }
}
