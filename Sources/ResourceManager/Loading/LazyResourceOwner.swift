/// An owner of lazily made resources whose loaders use the owner: every ``ViewController``.
///
/// A protocol because it has `Self`: the loader receives the owner with its own class.
public protocol LazyResourceOwner: ViewController {}

extension ViewController: LazyResourceOwner {}

extension LazyResourceOwner {
    /// A property that is made at its first read, and dropped at a memory warning while the controller is off window; its loader
    /// may use the controller.
    ///
    /// ```swift
    /// final class IndexController: ViewController {
    ///     private lazy var terms = resource({ $0.readTerms() }, cost: { $0.count * 32 })
    ///
    ///     func count() -> Int { terms().count }
    /// }
    /// ```
    ///
    /// The resource does not keep the controller alive, and must not be used after it.
    ///
    /// - Parameters:
    ///   - load: Makes the value, synchronously; called at the first read, and at the first read after each drop.
    ///   - cost: The bytes of a value, which count as released when it is dropped.
    /// - Returns: The resource, whose value `resource()` reads.
    public func resource<Value>(
        _ load: @escaping (Self) -> Value,
        cost: @escaping (Value) -> Int = { _ in 0 }
    ) -> LazyResource<Value> {
        let resource = LazyResource<Value>({ [unowned self] in load(self) })
        host.onMemoryRelease(of: resource) { [weak self] resource, _ in
            guard self?.viewIfLoaded?.window == nil, let value = resource.ifLoaded else { return 0 }
            resource.drop()
            return cost(value)
        }
        return resource
    }
}
