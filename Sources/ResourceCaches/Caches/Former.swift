internal import CLinux

/// The value that a key had at the beginning of a change, with a watch that shows whether the key still has it.
struct Former<Value: Sendable>: Sendable {
    /// The number of the watch on the key, in the ``LoadBook``.
    let watch: UInt64
    /// `nil` if there was none.
    var value: Value?
    /// Its cost.
    var cost: EntryCost?
    /// When it expires; `nil` for never.
    var ends: EntryEnds?
}

extension ResourceCache {
    /// Reads the value of a key that will be changed, and watches the key from then on.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - thread: The thread whose closure changes the value; it must not change the value in another way.
    ///   - includesExpired: Whether an expired value counts.
    /// - Returns: The value; the caller ends the watch.
    func former(_ key: Key, by thread: pthread_t?, includingExpired includesExpired: Bool) -> Former<Value> {
        let hash = hash(of: key)
        return withCore { core in
            var former = Former<Value>(watch: loading.watch(key, by: thread))
            let entry = find(key, hash: hash)
            if entry != 0, includesExpired || isGood(entry) {
                former.value = value(of: entry).pointee
                former.cost = core.pointee.cost(of: entry)
                former.ends = core.pointee.ends(of: entry)
            } else if let (reference, object) = weakValues.find(key, at: view.pointee.clock.now()) {
                former.value = object as? Value
                former.cost = reference.cost
                former.ends = reference.ends
            }
            return former
        }
    }

    /// Whether no other value was stored for the key since, and none was removed by a call.
    ///
    /// The caller holds the policy's lock.
    ///
    /// The cache may have evicted it.
    func isUntouched(_ former: Former<Value>, for key: Key) -> Bool {
        loading.isUntouched(former.watch, for: key)
    }

    /// Ends the watch.
    ///
    /// The caller holds the policy's lock.
    func endWatch(_ former: Former<Value>, of key: Key, _ departures: inout Departures<Key, Value>) {
        if let rest = loading.endWatch(former.watch, for: key) { departures.add(other: rest) }
    }

    /// Ends the watch of an abandoned change.
    func forget(_ former: Former<Value>, of key: Key) {
        change { _, departures in
            endWatch(former, of: key, &departures)
            return .done
        }
    }
}

extension CacheCore {
    func cost(of entry: UInt32) -> EntryCost { view.pointee.header(of: entry).pointee.cost }

    /// When an entry expires; `nil` for never.
    func ends(of entry: UInt32) -> EntryEnds? {
        let isTimed = view.pointee.header(of: entry).pointee.marks.contains(.isTimed)
        return isTimed ? EntryEnds(view.pointee.times(of: entry)) : nil
    }
}
