/// Checks whether the memory behind a value has references other than the given one.
///
/// Dropping the last reference frees the memory. Dropping another one frees nothing, and a value that is loaded again
/// is then in memory twice.
///
/// The check works for objects, for the standard library's `Array`, `ContiguousArray`, `Set` and `Dictionary`, which
/// are a single reference to their elements, and for an `Optional` of these. For all other types nothing is known:
/// ``canTell`` is `false`, and ``isShared(_:)`` always returns `false`.
///
/// The type decides once whether the check works; a check costs a load, two comparisons and a read of the reference
/// count, without a retain. Keep a checker beside the values, or create one where `Value` is known: then the compiler
/// folds it.
package struct SoleReference<Value>: Sendable {
    private let layout: ReferenceLayout?

    /// Creates a checker for values of the type.
    package init() {
        self.init(layout: ReferenceLayout(of: Value.self))
    }

    private init(layout: ReferenceLayout?) {
        self.layout = layout
    }

    /// Whether the check works for values of the type.
    package var canTell: Bool { layout != nil }

    /// Whether values of the type are objects, which have an identity and can have weak references.
    package var isOfObjects: Bool { layout?.isOfObjects ?? false }

    /// The owner of the memory behind a value, for a weak reference or a comparison; `nil` if there is none, or if the
    /// check does not work.
    package func object(of value: Value) -> AnyObject? {
        guard let layout else { return nil }
        return withUnsafeBytes(of: value) { bytes in
            let address = bytes.load(as: UInt.self)
            guard address >= ReferenceLayout.leastAddress, address != layout.emptyBuffer else { return nil }
            // The type consists of one reference, see below; the object lives as long as the value.
            return bytes.load(as: Unmanaged<AnyObject>.self).takeUnretainedValue()
        }
    }

    /// Whether the memory behind a value has other references than this one; weak ones do not count.
    ///
    /// If no other code can copy the value in the meantime, for example under a lock, `false` stays correct. `true` may
    /// be outdated when it is returned, because other references may be dropped at any time.
    ///
    /// - Parameter value: The reference in its place.
    /// - Returns: `false` also if there is no memory, as behind `nil` or an empty array, or if the check does not work;
    ///   `true` also for a constant of the program, because dropping it frees nothing.
    package func isShared(_ value: inout Value) -> Bool {
        guard let layout else { return false }
        // The type consists of one reference, see below, and a null pointer's page holds the cases of optionals.
        return withUnsafeMutableBytes(of: &value) { bytes in
            let address = bytes.load(as: UInt.self)
            guard address >= ReferenceLayout.leastAddress, address != layout.emptyBuffer else { return false }
            let reference = bytes.assumingMemoryBound(to: AnyCounted.self)
            // The count is at the same offset in all objects. An `AnyObject` would count the reference of the check
            // itself.
            return !isKnownUniquelyReferenced(&reference[0])
        }
    }
}

extension SoleReference where Value: AnyObject {
    /// A checker for objects, even if the static type is that of any object.
    package static var ofObjects: Self { Self(layout: ReferenceLayout(emptyBuffer: 0, isOfObjects: true)) }
}

/// Stands for any object; only its reference count is read.
private final class AnyCounted {}

/// How a type holds its single reference.
private struct ReferenceLayout {
    /// Smaller addresses are the cases of optionals; no object is there.
    static let leastAddress: UInt = 4096

    /// The address of the buffer that all empty values share, or 0.
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
    /// The layout of a collection, which is a reference to its buffer.
    fileprivate static func collection(_ empty: Self) -> ReferenceLayout {
        // Its size has been compared with that of a word.
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
