/// Weak references to objects that left a cache because memory was short while the service used them.
///
/// While this object lives, a load of its key would create a second one; so the cache still finds it.
///
/// The policy's lock guards it. Reading a weak reference creates a strong one for a moment, which may be the last one
/// at its end, and keys may be objects: the results of the methods must not be destroyed under the lock.
///
/// A copy takes constant time. As long as it exists, a change copies the shard of its key once: at most some 60 references,
/// about 6 µs. A warning changes up to 64 shards under the lock.
struct WeakValues<Key: Hashable & Sendable> {
    struct Reference {
        weak var object: AnyObject?
        let cost: EntryCost
        /// When the object expires; `nil` for never.
        let ends: EntryEnds?
        /// When it has been unread for too long.
        private var idleEnd: UInt64
        /// The number of the reference.
        fileprivate(set) var number: UInt64 = 0

        init(object: AnyObject, cost: EntryCost, ends: EntryEnds?) {
            (self.object, self.cost, self.ends) = (object, cost, ends)
            idleEnd = .max
            if let ends { noteUse(at: ends.lastUse) }
        }

        fileprivate mutating func noteUse(at now: UInt64) {
            if let ends { idleEnd = now.addingSaturated(ends.idleLimit) }
        }

        func isGood(at now: @autoclosure () -> UInt64) -> Bool {
            guard let ends else { return true }
            let now = now()
            return now < ends.expires && now < idleEnd
        }

        /// Whether a load refreshes the object.
        func isStale(at now: @autoclosure () -> UInt64) -> Bool { ends.map { now() >= $0.growsStale } ?? false }
    }

    /// A removed reference with its key.
    typealias Rest = (key: Key, value: Reference)

    private var references = ShardedDictionary<Key, Reference>(shards: 512)
    private var lastNumber: UInt64 = 0

    /// The maximum number of references.
    private static var most: Int { 16_384 }

    var count: Int { references.count }
    var isEmpty: Bool { references.isEmpty }
    var hasRoom: Bool { references.count < Self.most }

    /// Keeps no reference for a key that is unequal to itself, like a NaN, which no read would find.
    ///
    /// - Returns: A reference that is not kept: the previous one for the key, or this one.
    mutating func add(_ reference: Reference, for key: Key) -> Rest? {
        guard key == key else { return (key, reference) }
        let former = remove(key)
        lastNumber += 1
        var reference = reference
        reference.number = lastNumber
        references.add(reference, for: key)
        return former
    }

    /// The reference for a key and its object, if the object is alive and has not expired.
    func find(_ key: Key, at now: @autoclosure () -> UInt64) -> (reference: Reference, object: AnyObject)? {
        guard let reference = references[key], reference.isGood(at: now()) else { return nil }
        guard let object = reference.object else { return nil }
        return (reference, object)
    }

    /// Records that the object of a key was read.
    mutating func noteUse(of key: Key, at now: UInt64) {
        references.change(key) { $0.noteUse(at: now) }
    }

    mutating func remove(_ key: Key) -> Rest? { references.remove(key) }

    /// Takes all references out, in constant time.
    mutating func removeAll() -> ShardedDictionary<Key, Reference> { references.removeAll() }

    /// Removes some references, unless others have replaced them.
    mutating func remove(_ some: some Sequence<(key: Key, number: UInt64)>) -> [Rest] {
        some.compactMap { key, number in
            references[key]?.number == number ? remove(key) : nil
        }
    }

    // MARK: For use on a copy, without a lock

    /// The living objects, including expired ones.
    var living: [(key: Key, object: AnyObject)] {
        references.pairs.compactMap { key, reference in reference.object.map { (key, $0) } }
    }

    /// The cost of the living objects.
    var livingCost: Int {
        references.pairs.reduce(0) { sum, element in
            element.value.object == nil ? sum : sum.addingSaturated(element.value.cost.bytes)
        }
    }

    /// The references to destroyed objects.
    var dead: [(key: Key, number: UInt64)] {
        references.pairs.compactMap { key, reference in reference.object == nil ? (key, reference.number) : nil }
    }
}
