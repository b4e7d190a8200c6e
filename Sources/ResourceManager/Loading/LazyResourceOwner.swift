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
    /// The resource does not keep the controller alive, and must not be used after it. In the controller's `deinit`
    /// too, a read that has to make the value traps; ``LazyResource/ifLoaded`` does not.
    ///
    /// - Parameters:
    ///   - load: Makes the value, synchronously; called at the first read, and at the first read after each drop.
    ///   - cost: The bytes of a value, which count as released when it is dropped; without those of a cache in the value,
    ///     which counts by itself.
    /// - Returns: The resource, whose value `resource()` reads.
    public func resource<Value>(
        _ load: @escaping (Self) -> Value,
        cost: @escaping (Value) -> Int = { _ in 0 }
    ) -> LazyResource<Value> {
        let resource = LazyResource<Value>({ [unowned self] in load(self) })
        let offer = ResourceOffer(
            owner: self,
            cost: { [weak resource] in resource?.ifLoaded.map(cost) ?? 0 },
            drop: { [weak resource] in _ = resource?.drop() }
        )
        resource.offer = offer
        host.resourceOffers.append(offer)
        return resource
    }
}

/// A controller's resource in its host's list: the bytes that it holds, and how to drop it.
///
/// The resource keeps it alive.
final class ResourceOffer: WeaklyReferable {
    @Weak private var owner: ViewController?
    private(set) lazy var weakLink = WeakLink(to: self)
    private let cost: () -> Int
    private let drop: () -> Void

    init(owner: ViewController, cost: @escaping () -> Int, drop: @escaping () -> Void) {
        self.owner = owner
        self.cost = cost
        self.drop = drop
    }

    /// The bytes that a warning would release now.
    var releasableCost: Int { isReleasable ? max(0, cost()) : 0 }

    /// Drops the value if the controller is off window; the bytes that this released.
    func release() -> Int {
        guard isReleasable else { return 0 }
        let cost = cost()
        // The service's closure may have brought the controller on window.
        guard isReleasable else { return 0 }
        drop()
        return cost
    }

    private var isReleasable: Bool { owner?.viewIfLoaded?.window == nil }
}
