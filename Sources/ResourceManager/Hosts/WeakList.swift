/// Objects in the order in which they were added, none of which it keeps alive.
struct WeakList<Object: AnyObject> {
    struct Reference {
        private(set) weak var object: Object?
    }

    /// The list as it is now, dead ones included, to walk while the list itself may change.
    private(set) var references: [Reference] = []
    private var sweepThreshold = 32

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
