/// Objects that left a cache for want of memory while the service used them, by weak references.
///
/// While such an object lives, a load of its key would make a second one beside it; so the cache still finds it. The
/// policy's lock guards this. What its methods return must not end under that lock, as a key may be an object.
struct WeakValues<Key: Hashable & Sendable> {
    struct Reference {
        weak var object: AnyObject?
        let cost: EntryCost
        let priority: CachePriority
    }

    /// What was taken out, to end where no lock is held.
    typealias Rest = (key: Key, value: Reference)

    private var references: [Key: Reference] = [:]

    /// More are not kept: a warning has to free memory, and each takes some hundred bytes.
    private static var most: Int { 16_384 }

    var isEmpty: Bool { references.isEmpty }

    /// What is still alive costs.
    var cost: Int {
        references.values.reduce(0) { sum, reference in
            reference.object == nil ? sum : sum.addingSaturated(reference.cost.bytes)
        }
    }

    var hasRoom: Bool { references.count < Self.most }

    /// - Returns: `false` if there are too many.
    mutating func add(_ reference: Reference, for key: Key) -> Bool {
        guard hasRoom else { return false }
        references[key] = reference
        return true
    }

    /// The reference for a key, if its object is alive.
    func find(_ key: Key) -> Reference? {
        guard let reference = references[key], reference.object != nil else { return nil }
        return reference
    }

    mutating func remove(_ key: Key) -> Rest? {
        references.index(forKey: key).map { references.remove(at: $0) }
    }

    mutating func removeAll() -> [Rest] {
        defer { references = [:] }
        return references.map { $0 }
    }

    /// Forgets those whose objects have ended.
    mutating func removeDead() -> [Rest] {
        let dead = references.filter { $0.value.object == nil }.keys
        return dead.compactMap { remove($0) }
    }
}
