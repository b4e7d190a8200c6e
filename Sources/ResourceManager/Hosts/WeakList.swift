/// Objects in the order in which they were added; the list keeps none of them alive.
struct WeakList<Object: WeaklyReferable> {
    private struct Reference {
        @Weak var object: Object?

        var hasEnded: Bool { _object.hasEnded }
    }

    private var references: [Reference] = []
    private var sweepThreshold = 32

    /// The capacity, including destroyed objects that were not removed yet.
    var count: Int { references.count }

    /// The objects that are alive now.
    var objects: [Object] { references.compactMap(\.object) }

    /// Calls `body` with each object that is in the list now and still alive at its turn; the list may change
    /// meanwhile.
    func visit(_ body: (Object) -> Void) {
        for reference in references {
            if let object = reference.object { body(object) }
        }
    }

    /// Appends an object; amortised O(1), since destroyed objects are removed each time the list has doubled.
    mutating func append(_ object: Object) {
        if references.count >= sweepThreshold { sweep() }
        references.append(Reference(object: object))
    }

    /// Removes destroyed objects, whose memory the list has kept; calls nothing back.
    mutating func sweep() {
        references.removeAll(where: \.hasEnded)
        sweepThreshold = max(32, references.count * 2)
    }

    /// Removes destroyed objects, and those that do not meet `condition`.
    mutating func keep(where condition: (Object) -> Bool) {
        references.removeAll { reference in
            guard let object = reference.object else { return true }
            return !condition(object)
        }
    }
}
