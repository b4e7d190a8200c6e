/// The outlets of a class, by name: typed references that an archive sets.
public struct Outlets {
    fileprivate struct Outlet {
        let connect: (Responder, Responder) -> Bool
        let object: (Responder) -> Responder?
        let clear: (Responder) -> Void
    }

    /// An outlet and the object that it refers to.
    struct Connection {
        fileprivate let outlet: Outlet
        fileprivate let object: Responder

        /// Sets the outlet to `nil`, unless it refers to another object by now.
        func end(_ owner: Responder) {
            if outlet.object(owner) === object { outlet.clear(owner) }
        }
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
            object: { owner in (owner as? Owner)?[keyPath: property] },
            clear: { owner in (owner as? Owner)?[keyPath: property] = nil }
        )
        return added
    }

    func connect(_ object: Responder, to name: String, of owner: Responder) -> Bool {
        outlets[name]?.connect(owner, object) ?? false
    }

    /// The outlets of a responder that refer to an object, in the order of their names.
    func connections(of owner: Responder) -> [Connection] {
        outlets.sorted { $0.key < $1.key }.compactMap { _, outlet in
            outlet.object(owner).map { Connection(outlet: outlet, object: $0) }
        }
    }
}
