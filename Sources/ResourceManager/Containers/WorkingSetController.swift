/// A container for many children that keeps those in service that are in use: tenants, sessions, clients.
///
/// The children that were used most recently are in service. The others are not, and lose their views at the next
/// memory warning:
///
/// ```swift
/// let tenants = WorkingSetController<String, TenantController>(host: host, limit: 8)
/// window.rootViewController = tenants
/// window.makeVisible()
///
/// @MainActor func answer(_ request: Request) -> Response {
///     let tenant = tenants.child(for: request.tenant) { TenantController(request.tenant, host: host) }
///     return tenant.answer(request)
/// }
/// ```
///
/// It needs no timer: a child leaves service when another one needs its place, or at a warning if it has been idle for
/// the ``idleTime``. A child that has left keeps its view until a warning. A child that is not in service and has
/// neither a view nor saved state after a warning is removed, and made again at its next use. So make the working set
/// before its children: it has to receive the warning first.
open class WorkingSetController<Key: Hashable, Child: ViewController>: ViewController {
    private struct Member {
        let child: Child
        /// When it was used last.
        var time: ContinuousClock.Instant
        /// The number of that use, which is unique.
        var use: UInt64
        var isInService: Bool
    }

    /// How many children are in service at most.
    public final let limit: Int
    /// How long after its last use a child stays in service at a warning; `nil` for any time.
    public final let idleTime: Duration?

    private let now: () -> ContinuousClock.Instant
    private var members: [Key: Member] = [:]
    private var lastUse: UInt64 = 0

    /// A working set without children.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - limit: How many children are in service at most; at least 1.
    ///   - idleTime: How long after its last use a child stays in service at a warning; `nil` for any time.
    ///   - now: The time, for tests.
    public init(
        host: ControllerHost,
        limit: Int = .max,
        idleTime: Duration? = nil,
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        precondition(limit > 0, "a working set has room for one child at least")
        self.limit = limit
        self.idleTime = idleTime
        self.now = now
        super.init(host: host)
        // Observers are called after all controllers, so the views have been unloaded already.
        host.onMemoryWarning(of: self) { set, _ in set.removeReleased() }
    }

    /// The child for a key; the call counts as a use, and brings the child into service if this controller is.
    ///
    /// For a child in service, it costs a dictionary lookup; for another child, the load of its view if necessary, and
    /// a walk over the children in service if one of them has to leave.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - make: Makes the child if there is none.
    /// - Returns: The child.
    public final func child(for key: Key, make: () -> Child) -> Child {
        lastUse += 1
        let use = lastUse
        let child = members[key]?.child ?? make()
        let wasInService = members[key]?.isInService ?? false
        members[key] = Member(child: child, time: now(), use: use, isInService: true)
        if child.parent !== self {
            addChild(child)
            child.announceDidMove(to: self)
        }
        if !wasInService { makeRoom() }
        // Callbacks of the child, or of one that has left, may have used other children meanwhile.
        if members[key]?.isInService == true { attach(child) }
        return child
    }

    /// The child for a key, if there is one; does not count as a use.
    public final func childIfPresent(for key: Key) -> Child? { members[key]?.child }

    /// The children in service, the most recently used first.
    public final var childrenInService: [Child] {
        members.values.filter(\.isInService).sorted { $0.use > $1.use }.map(\.child)
    }

    /// Takes a child out of service and removes it; does nothing if there is none.
    public final func removeChild(for key: Key) {
        guard let child = members.removeValue(forKey: key)?.child, child.parent === self else { return }
        child.announceWillMove(to: nil)
        child.viewIfLoaded?.removeFromSuperview()
        child.removeFromParent()
    }

    /// Puts the children in service into the new view; an override calls `super`.
    open override func viewDidLoad() {
        for child in childrenInService { attach(child) }
    }

    /// Takes idle children out of service, so that this warning unloads them; an override calls `super`.
    open override func didReceiveMemoryWarning() {
        if let idleTime {
            let time = now()
            let idle = members.filter { $0.value.isInService && $0.value.time.duration(to: time) >= idleTime }
            for (key, member) in idle.sorted(by: { $0.value.use < $1.value.use }) { retire(key, since: member.use) }
        }
        super.didReceiveMemoryWarning()
    }

    override func didLose(_ child: ViewController) {
        members = members.filter { $0.value.child !== child }
    }

    private func makeRoom() {
        while true {
            let inService = members.filter(\.value.isInService)
            guard inService.count > limit else { return }
            guard let oldest = inService.min(by: { $0.value.use < $1.value.use }) else { return }
            retire(oldest.key, since: oldest.value.use)
        }
    }

    /// Takes a child out of service if it was not used since.
    private func retire(_ key: Key, since use: UInt64) {
        guard let member = members[key], member.use == use else { return }
        members[key]?.isInService = false
        if let view = viewIfLoaded, member.child.isViewInside(view) { member.child.viewIfLoaded?.removeFromSuperview() }
    }

    private func attach(_ child: Child) {
        guard let view = viewIfLoaded, let inside = child.view, !inside.isDescendant(of: view) else { return }
        view.addSubview(inside)
    }

    private func removeReleased() {
        for (key, member) in members where !member.isInService {
            if !member.child.isViewLoaded, member.child.savedViewState == nil { removeChild(for: key) }
        }
    }
}
