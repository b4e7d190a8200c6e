/// Tells whether the memory behind a value has other references than the one at hand.
///
/// Letting go of the last reference frees the memory. Letting go of another one frees nothing, and a value that is
/// loaded again then stands in memory twice.
///
/// It can be told of objects, of the standard library's `Array`, `ContiguousArray`, `Set` and `Dictionary`, which are
/// a single reference to their elements, and of an `Optional` of these. Of all other types nothing is known:
/// ``canTell`` is false, and ``isShared(_:)`` always is.
///
/// What may be seen is decided once, from the type; asking costs a load, two comparisons and a look at the reference
/// count, without a retain. Keep one beside the values, or make one where `Value` is known: then it folds.
package struct SoleReference<Value>: Sendable {
    private let layout: ReferenceLayout?

    /// A look at values of the type.
    package init() {
        self.init(layout: ReferenceLayout(of: Value.self))
    }

    private init(layout: ReferenceLayout?) {
        self.layout = layout
    }

    /// Whether anything can be told of values of the type.
    package var canTell: Bool { layout != nil }

    /// Whether values of the type are objects, which have an identity and can be referenced weakly.
    package var isOfObjects: Bool { layout?.isOfObjects ?? false }

    /// What owns the memory behind a value, to be referenced weakly or compared; `nil` if there is none, or if nothing can
    /// be told.
    package func object(of value: Value) -> AnyObject? {
        guard let layout else { return nil }
        return withUnsafeBytes(of: value) { bytes in
            let address = bytes.load(as: UInt.self)
            guard address >= ReferenceLayout.leastAddress, address != layout.emptyBuffer else { return nil }
            // The type consists of one reference, see below; the object lives as long as the value does.
            return bytes.load(as: Unmanaged<AnyObject>.self).takeUnretainedValue()
        }
    }

    /// Whether the memory behind a value has other references than this one; weak ones do not count.
    ///
    /// If nothing can copy the value from here before the caller lets it, as under a lock, `false` stays right. `true`
    /// may be out of date when it is returned, as other references end at any time.
    ///
    /// - Parameter value: Where the reference is.
    /// - Returns: `false` also if there is no such memory, as behind `nil` or an empty array, or if nothing can be
    ///   told; `true` also of what the program contains as a constant, as letting go of that frees nothing.
    package func isShared(_ value: inout Value) -> Bool {
        guard let layout else { return false }
        // The type consists of one reference, see below, and a null pointer's page holds the cases of optionals.
        return withUnsafeMutableBytes(of: &value) { bytes in
            let address = bytes.load(as: UInt.self)
            guard address >= ReferenceLayout.leastAddress, address != layout.emptyBuffer else { return false }
            let reference = bytes.assumingMemoryBound(to: AnyCounted.self)
            // The count is at the same place in all objects. An `AnyObject` would count the question's own reference.
            return !isKnownUniquelyReferenced(&reference[0])
        }
    }
}

extension SoleReference where Value: AnyObject {
    /// A look at objects, also where the type is that of any object.
    package static var ofObjects: Self { Self(layout: ReferenceLayout(emptyBuffer: 0, isOfObjects: true)) }
}

/// Stands for any object; only its reference count is looked at.
private final class AnyCounted {}

/// How a type holds its single reference.
private struct ReferenceLayout {
    /// Below it are the cases of optionals, where no object is.
    static let leastAddress: UInt = 4096

    /// The address of what all empty values share, or 0.
    let emptyBuffer: UInt
    let isOfObjects: Bool

    init(emptyBuffer: UInt, isOfObjects: Bool = false) {
        self.emptyBuffer = emptyBuffer
        self.isOfObjects = isOfObjects
    }

    init?<Value>(of type: Value.Type) {
        guard MemoryLayout<Value>.size == MemoryLayout<UInt>.size else { return nil }
        if type is any AnyObject.Type {
            self.init(emptyBuffer: 0, isOfObjects: true)
        } else if let layout = (type as? any SingleReference.Type)?.layout {
            self = layout
        } else {
            return nil
        }
    }
}

/// A type that consists of one reference, if any.
private protocol SingleReference {
    static var layout: ReferenceLayout? { get }
}

extension SingleReference {
    /// A collection's, which is a reference to its buffer.
    fileprivate static func collection(_ empty: Self) -> ReferenceLayout {
        // Its size has been compared with a word's.
        ReferenceLayout(emptyBuffer: unsafeBitCast(empty, to: UInt.self))
    }
}

extension Array: SingleReference {
    fileprivate static var layout: ReferenceLayout? { collection([]) }
}

extension ContiguousArray: SingleReference {
    fileprivate static var layout: ReferenceLayout? { collection([]) }
}

extension Set: SingleReference {
    fileprivate static var layout: ReferenceLayout? { collection([]) }
}

extension Dictionary: SingleReference {
    fileprivate static var layout: ReferenceLayout? { collection([:]) }
}

extension Optional: SingleReference {
    fileprivate static var layout: ReferenceLayout? { ReferenceLayout(of: Wrapped.self) }
}
