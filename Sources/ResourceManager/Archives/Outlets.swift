/// The outlets of a class, by name: typed references that an archive sets.
public struct Outlets {
    private struct Outlet {
        let connect: (Responder, Responder) -> Bool
        let clear: (Responder) -> Void
    }

    private var outlets: [String: Outlet] = [:]

    init() {}

    /// The names, in alphabetical order.
    public var names: [String] { outlets.keys.sorted() }

    /// These outlets and one more: a property of the class, preferably a weak one (rule 1.17).
    ///
    /// An outlet of the same name is replaced.
    public func adding<Owner: Responder, Object: Responder>(
        _ name: String,
        _ property: ReferenceWritableKeyPath<Owner, Object?>
    ) -> Outlets {
        var added = self
        added.outlets[name] = Outlet(
            connect: { owner, object in
                guard let owner = owner as? Owner, let object = object as? Object else { return false }
                owner[keyPath: property] = object
                return true
            },
            clear: { owner in (owner as? Owner)?[keyPath: property] = nil }
        )
        return added
    }

    func connect(_ object: Responder, to name: String, of owner: Responder) -> Bool {
        outlets[name]?.connect(owner, object) ?? false
    }

    func clear(_ name: String, of owner: Responder) { outlets[name]?.clear(owner) }
}
