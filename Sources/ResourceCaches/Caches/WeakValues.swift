/// Objects that left a cache for want of memory while the service used them, by weak references.
///
/// While such an object lives, a load of its key would make a second one beside it; so the cache still finds it.
///
/// The policy's lock guards it. To look at a weak reference makes a strong one for a moment, which may be the last one
/// when that ends, and keys may be objects: what the methods return must not end under the lock.
struct WeakValues<Key: Hashable & Sendable> {
    struct Reference {
        weak var object: AnyObject?
        let cost: EntryCost
        /// When the object is out of date; `nil` for never.
        let ends: EntryEnds?
        /// Which of all references it is.
        fileprivate(set) var number: UInt64 = 0

        init(object: AnyObject, cost: EntryCost, ends: EntryEnds?) {
            (self.object, self.cost, self.ends) = (object, cost, ends)
        }

        func isGood(at now: @autoclosure () -> UInt64) -> Bool {
            ends.map { now() < $0.expires } ?? true
        }
    }

    /// What was taken out.
    typealias Rest = (key: Key, value: Reference)

    private var references: [Key: Reference] = [:]
    private var lastNumber: UInt64 = 0

    /// More are not kept: a warning has to free memory, and each takes some hundred bytes.
    private static var most: Int { 16_384 }

    var isEmpty: Bool { references.isEmpty }
    var hasRoom: Bool { references.count < Self.most }

    /// - Returns: The reference that there was for the key.
    mutating func add(_ reference: Reference, for key: Key) -> Rest? {
        let former = remove(key)
        lastNumber += 1
        var reference = reference
        reference.number = lastNumber
        references[key] = reference
        return former
    }

    /// The reference for a key and its object, if that is alive and not out of date.
    func find(_ key: Key, at now: @autoclosure () -> UInt64) -> (reference: Reference, object: AnyObject)? {
        guard let reference = references[key], reference.isGood(at: now()) else { return nil }
        guard let object = reference.object else { return nil }
        return (reference, object)
    }

    mutating func remove(_ key: Key) -> Rest? {
        references.index(forKey: key).map { references.remove(at: $0) }
    }

    mutating func removeAll() -> [Rest] {
        defer { references = [:] }
        return references.map { $0 }
    }

    /// Removes some references, unless others have taken their places.
    mutating func remove(_ some: some Sequence<(key: Key, number: UInt64)>) -> [Rest] {
        some.compactMap { key, number in references[key]?.number == number ? remove(key) : nil }
    }

    // MARK: On a copy, without any lock

    /// Those that are alive, out of date or not.
    var living: [(key: Key, object: AnyObject)] {
        references.compactMap { key, reference in reference.object.map { (key, $0) } }
    }

    /// What is still alive costs.
    var livingCost: Int {
        references.values.reduce(0) { sum, reference in
            reference.object == nil ? sum : sum.addingSaturated(reference.cost.bytes)
        }
    }

    /// Those whose objects have ended.
    var dead: [(key: Key, number: UInt64)] {
        references.compactMap { key, reference in reference.object == nil ? (key, reference.number) : nil }
    }
}
