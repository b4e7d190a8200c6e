internal import MemoryPressure

extension ResourceCache {
    /// A value that may not leave the cache for as long as this pin is kept.
    ///
    /// It cannot be copied, and the pin ends with it: at the end of its scope, or at `_ = consume pin`. Until then
    /// ``value`` is in use, even if the pin's duration has ended, and a warning frees nothing of it. Unwrap the
    /// result of ``pin(_:owner:for:)`` with `if let` or `guard let`; macros such as `#require` and `#expect` do not accept
    /// noncopyable values.
    public struct Pin: ~Copyable, Sendable {
        /// The value's key.
        public let key: Key
        /// The value at the time of pinning.
        public let value: Value
        private let cache: ResourceCache
        private let number: PinBoard.Number

        fileprivate init(_ cache: ResourceCache, _ number: PinBoard.Number, key: Key, value: Value) {
            (self.cache, self.number, self.key, self.value) = (cache, number, key, value)
        }

        deinit {
            cache.unpin(number)
        }
    }

    /// A pin that holds a value.
    public struct PinDescription: Sendable {
        /// The value's key.
        public let key: Key
        /// The owner of the pin.
        public let owner: String
        /// How long the pin still lasts; `nil` for as long as it is kept.
        public let remaining: Duration?
    }

    /// Keeps the value for a key in the cache, despite its limits and memory warnings, until the pin ends.
    ///
    /// Use it for a value in use that must not be loaded twice, or that is not written back yet. If another value is
    /// stored for the key, the pin holds that value. A call that removes the key removes the value and ends its pins,
    /// and so does a read of an expired value; that takes some nanoseconds more for each pin. Waits for changes under
    /// way; takes constant time.
    ///
    /// - Parameters:
    ///   - key: The key; not a use of its value.
    ///   - owner: The owner of the pin, for reports.
    ///   - duration: The time after which the pin has no effect, even if it is kept, in case the owner forgets it. It
    ///     is checked when other values cannot make room, by a `trim`, and at a memory warning. With zero or less the
    ///     pin has ended when it is returned, and pins nothing.
    /// - Returns: The pin, which keeps the cache; `nil` if there is no value, if it has expired, or if it has left while
    ///   it was used and there is no room to put it back.
    public func pin(_ key: Key, owner: String, for duration: Duration? = nil) -> Pin? {
        let hash = hash(of: key)
        let nanoseconds = duration.map { UInt64(max(0, $0.nanoseconds)) }
        func pinEntry() -> (number: PinBoard.Number, value: Value)? {
            withCore { core in
                let entry = find(key, hash: hash)
                guard entry != 0, isGood(entry) else { return nil }
                return (core.pointee.pin(entry, owner: owner, for: nanoseconds), value(of: entry).pointee)
            }
        }
        while true {
            if let (number, value) = pinEntry() { return Pin(self, number, key: key, value: value) }
            guard putBack(key, hash: hash) else { return nil }
        }
    }

    /// All pins that have not ended, in no particular order.
    ///
    /// It contains a pin that begins or ends during the call or not, and takes time in proportion to the largest number of
    /// pins that there have been at a time; changes get their turns after each 64 of them.
    public var pins: [PinDescription] {
        var descriptions: [PinDescription] = []
        var place: UInt32 = 1
        func describeSome() -> Bool {
            // So that the array of all does not grow under the lock.
            var some: [PinDescription] = []
            some.reserveCapacity(PinBoard.steps.ends)
            defer { descriptions += some }
            return withCore { core in
                let now = view.pointee.clock.now()
                return core.pointee.pins.visit(from: &place) { pin in
                    guard pin.ends > now else { return }
                    let remaining = pin.ends == .max ? nil : Duration.nanoseconds(Int64(clamping: pin.ends - now))
                    let key = key(of: pin.entry).pointee
                    some.append(PinDescription(key: key, owner: pin.owner, remaining: remaining))
                }
            }
        }
        while describeSome() { view.pointee.giveWay() }
        return descriptions
    }

    /// Sets the priority of the value for a key from now on.
    ///
    /// For a pinned value it applies after the pin. A value that a ``softLimit`` or a memory warning tolerates only on
    /// screen leaves once it is no longer on screen. Waits for changes under way; takes constant time.
    ///
    /// - Returns: `false` if there is no value that ``pin(_:owner:for:)`` could pin.
    @discardableResult
    public func setPriority(_ priority: CachePriority, for key: Key) -> Bool {
        let hash = hash(of: key)
        func setEntry() -> Bool {
            var isThere: Bool?
            change { core, departures in
                if isThere == nil {
                    let entry = find(key, hash: hash)
                    isThere = entry != 0 && isGood(entry)
                    if isThere == true { core.pointee.setPriority(priority, of: entry) }
                }
                // Values that are no longer on screen may exceed a limit.
                return settleLimits(core, &departures)
            }
            return isThere == true
        }
        while !setEntry() {
            guard putBack(key, hash: hash) else { return false }
        }
        return true
    }

    /// Puts back an object in use, which a warning may take out again at once.
    ///
    /// - Returns: `false` if there is none, or no room for it.
    private func putBack(_ key: Key, hash: UInt32) -> Bool {
        takeBack(key, hash: hash)?.isThere ?? false
    }

    private func unpin(_ number: PinBoard.Number) {
        var isUnpinned = false
        change { core, departures in
            if !isUnpinned { core.pointee.unpin(number) }
            isUnpinned = true
            return evictOverfull(core, &departures)
        }
    }

    /// Ends all pins that have expired by now; other changes get their turns in between.
    func endExpiredPins() {
        // Pins that begin meanwhile end later.
        let now = view.pointee.clock.now()
        while withCore({ $0.pointee.endExpiredPins(by: now) }) { view.pointee.giveWay() }
    }
}
