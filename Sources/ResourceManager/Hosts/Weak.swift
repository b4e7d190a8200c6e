internal import CLinux

/// A reference that does not keep its object alive, and is `nil` from the beginning of the object's deinit.
///
/// Used instead of `weak`, which moves the object's reference counts into a side table for good: each retain and release
/// takes twice as long from then on, and a push and pop consists mostly of those. As with `weak`, the object may end on
/// another thread meanwhile.
///
/// A property that each step reads stores and assigns the whole value instead of being wrapped: the check of each access for
/// exclusivity, which can then be left out, costs more than the read.
@propertyWrapper
struct Weak<Object: WeaklyReferable> {
    private var link: WeakLink?

    init(wrappedValue: Object?) {
        link = wrappedValue?.weakLink
    }

    var wrappedValue: Object? {
        // The link was taken from an `Object`.
        get { link?.object.map { unsafeDowncast($0, to: Object.self) } }
        set { link = newValue?.weakLink }
    }

    /// Whether the value is `nil`; retains nothing, so it calls nothing back.
    var hasEnded: Bool { link?.hasEnded ?? true }
}

/// An object that ``Weak`` can refer to.
protocol WeaklyReferable: AnyObject {
    /// Leads to this object; always the same.
    var weakLink: WeakLink { get }
}

/// Leads to an object as long as that is alive; kept alive by the references to the object and by the object.
///
/// It keeps the memory of the object, without its properties, so that the object can be asked whether it is alive.
final class WeakLink {
    // Unsafe, since it does not keep the object alive: only the runtime, which reads the counts, uses it before a retain.
    private let address: UnsafeMutableRawPointer

    init(to object: AnyObject) {
        address = swift_unownedRetain(Unmanaged.passUnretained(object).toOpaque())
    }

    deinit { swift_unownedRelease(address) }

    /// Whether the object's deinit has begun.
    var hasEnded: Bool { swift_isDeallocating(address) }

    /// The object; `nil` once its deinit has begun, in which the program may ask for it.
    ///
    /// Atomic: the last reference to a controller may be dropped on any thread, by the deinit of an actor for example.
    var object: AnyObject? {
        swift_tryRetain(address).map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    }
}
