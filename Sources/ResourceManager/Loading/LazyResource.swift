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
/// A loader that needs what only the initialiser knows is given there:
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
/// Not `Sendable`: it belongs to the isolation of the object that has it, usually a controller, and only its owner
/// drops it, which knows whether it is in use. Objects that are no controllers do so in an observer of the warning (rule
/// 4.26). A value that may go at every warning, on window or off, is better kept in a ``Reloadable``, which sees to
/// that itself and may be read from any thread.
@propertyWrapper
public final class LazyResource<Value> {
    private let load: () -> Value
    @usableFromInline var value: Value?
    private var isLoading = false

    /// A resource whose loader is the property's initial value, which is not evaluated before the first read.
    public init(wrappedValue load: @autoclosure @escaping () -> Value) {
        self.load = load
    }

    /// A resource with a loader; the resource keeps it, so it should not keep the resource's owner.
    public init(_ load: @escaping () -> Value) {
        self.load = load
    }

    /// The value, made by this read if it is not there.
    ///
    /// The loader runs synchronously. One that reads the resource it is to make is a programming error and traps.
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

    /// The same as ``wrappedValue``, for a resource that is no property wrapper: `terms()`.
    @inlinable
    public func callAsFunction() -> Value { wrappedValue }

    /// The resource itself, as `$name`: to drop it, and to ask for it without a load.
    public var projectedValue: LazyResource<Value> { self }

    /// Whether the value is there; never loads it.
    public var isLoaded: Bool { value != nil }

    /// The value if it is there; never loads it.
    public var ifLoaded: Value? { value }

    /// Lets go of the value; the next read loads it again.
    ///
    /// A load that is under way is not dropped.
    ///
    /// - Returns: Whether there was a value to drop.
    @discardableResult
    public func drop() -> Bool {
        value.take() != nil
    }
}
