internal import CLinux

/// A reference that does not keep its object alive, and is `nil` from the beginning of the object's deinit.
///
/// Used instead of `weak`, which moves the object's reference counts into a side table for good: each retain and release
/// takes twice as long from then on, and a push and pop consists mostly of those. Belongs to the isolation of its object.
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
}

/// An object that ``Weak`` can refer to; its deinit, the last of its class's, has to cut the link.
protocol WeaklyReferable: AnyObject {
    /// Leads to this object; always the same.
    var weakLink: WeakLink { get }
}

/// Leads to an object as long as that is alive; kept alive by the references to the object and by the object.
final class WeakLink {
    // Unsafe, since it does not keep the object alive: the object's deinit sets it to `nil` before the memory is freed.
    private var address: UnsafeMutableRawPointer?

    init(to object: AnyObject) {
        address = Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object; `nil` once its deinit has begun: the program's deinits, which run first, may ask for it.
    var object: AnyObject? {
        guard let address, !swift_isDeallocating(address) else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    }

    /// Ends the link, in the object's deinit.
    func cut() {
        address = nil
    }
}
