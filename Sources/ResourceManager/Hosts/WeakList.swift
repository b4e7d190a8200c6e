/// Objects in the order in which they were added, none of which it keeps alive.
struct WeakList<Object: AnyObject> {
    private struct Reference {
        weak var object: Object?
    }

    private var references: [Reference] = []
    private var sweepThreshold = 32

    /// How many the list has room for, the dead that were not swept yet included.
    var count: Int { references.count }

    /// Those that are alive now.
    var objects: [Object] { references.compactMap(\.object) }

    /// Calls `body` with each object that is in the list now and still alive when its turn comes; the list may change
    /// meanwhile.
    func visit(_ body: (Object) -> Void) {
        let references = references
        // By index: an element that is copied is a weak reference more, made and undone.
        for index in references.indices {
            if let object = references[index].object { body(object) }
        }
    }

    /// Appends an object; amortised O(1), as the dead are swept each time the list has doubled.
    mutating func append(_ object: Object) {
        if references.count >= sweepThreshold {
            keep { _ in true }
            sweepThreshold = max(32, references.count * 2)
        }
        references.append(Reference(object: object))
    }

    /// Forgets the dead, and those that `condition` is false for.
    mutating func keep(where condition: (Object) -> Bool) {
        references.removeAll { reference in
            guard let object = reference.object else { return true }
            return !condition(object)
        }
    }
}
