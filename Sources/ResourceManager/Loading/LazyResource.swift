/// A property that is made at its first read, can be dropped when memory is short, and is made again at the next read
/// (rule 2.16).
///
/// ```swift
/// final class IndexController: ViewController {
///     @LazyResource var terms: Terms = loadTerms()
///
///     override func didReceiveMemoryWarning() {
///         super.didReceiveMemoryWarning()
///         if viewIfLoaded?.window == nil { $terms.drop() }
///     }
/// }
/// ```
///
/// A loader that needs arguments of the initialiser is set there:
///
/// ```swift
/// @LazyResource var terms: Terms
///
/// init(path: String, host: ControllerHost) {
///     _terms = LazyResource { loadTerms(from: path) }
///     super.init(host: host)
/// }
/// ```
///
/// Not `Sendable`: it belongs to the isolation of the object that has it, usually a controller. Only the owner drops
/// it, since only the owner knows whether it is in use. Objects that are not controllers do so in an observer of the
/// warning (rule 4.26). For a value that may be dropped at every warning, on window or off, a `Reloadable` is better:
/// it drops the value itself, and can be read from any thread.
@propertyWrapper
public final class LazyResource<Value> {
    private let load: () -> Value
    @usableFromInline var value: Value?
    private var isLoading = false
    /// The host's entry for a controller's resource.
    var offer: ResourceOffer?

    /// A resource whose loader is the property's initial value, which is not evaluated before the first read.
    public init(wrappedValue load: @autoclosure @escaping () -> Value) {
        self.load = load
    }

    /// A resource with a loader; the resource keeps the loader, which should not keep the resource's owner.
    public init(_ load: @escaping () -> Value) {
        self.load = load
    }

    /// The value; this read makes it if necessary.
    ///
    /// The loader runs synchronously. A loader that reads its own resource is a programming error and traps.
    @inlinable public var wrappedValue: Value {
        if let value { return value }
        return loadMissing()
    }

    @usableFromInline
    func loadMissing() -> Value {
        precondition(!isLoading, "the loader of a lazy resource reads the resource itself")
        isLoading = true
        let loaded = load()
        isLoading = false
        value = loaded
        return loaded
    }

    /// The same as ``wrappedValue``, for a resource that is not a property wrapper: `terms()`.
    @inlinable
    public func callAsFunction() -> Value { wrappedValue }

    /// The resource itself, as `$name`: to drop it, and to read it without a load.
    public var projectedValue: LazyResource<Value> { self }

    /// Whether the value is loaded; never loads it.
    public var isLoaded: Bool { value != nil }

    /// The value if it is loaded; never loads it.
    public var ifLoaded: Value? { value }

    /// Drops the value; the next read loads it again.
    ///
    /// Does not affect a load under way.
    ///
    /// - Returns: Whether there was a value to drop.
    @discardableResult
    public func drop() -> Bool {
        value.take() != nil
    }
}
