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
/// before its children: it has to receive the warning first. With ``WarningDelivery/offWindowOnly`` a working set on
/// window does not receive the warning, so its idle children stay in service.
open class WorkingSetController<Key: Hashable, Child: ViewController>: ViewController {
    private final class Member {
        let key: Key
        let child: Child
        /// When it was used last.
        var time: ContinuousClock.Instant
        /// The number of that use, which is unique.
        var use: UInt64 = 0
        /// Whether the child is wanted in service; its view follows in ``place(_:)``.
        var isInService = false

        init(key: Key, child: Child, time: ContinuousClock.Instant) {
            self.key = key
            self.child = child
            self.time = time
        }
    }

    /// How many children are in service at most.
    public final let limit: Int
    /// How long after its last use a child stays in service at a warning; `nil` for any time.
    public final let idleTime: Duration?

    private let now: () -> ContinuousClock.Instant
    private var members: [Key: Member] = [:]
    private var membersByChild: [ObjectIdentifier: Member] = [:]
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
    /// a walk over the children if one of them has to leave. A call that is made in a callback of another one is
    /// complete when it returns, and the other one continues with what it finds then: of two children that each want
    /// the last place, the one used later gets it (rule 3.24).
    ///
    /// - Parameters:
    ///   - key: The key. A key that is not equal to itself, such as NaN, is a programming error and traps.
    ///   - make: Makes the child if there is none. If it uses the same key, the child that it thereby made stays, and
    ///     the one that it returns is not added.
    /// - Returns: The child. A new one that cannot be a child of this controller, or has another key already, is
    ///   returned without being added, ``ResourceFault/hierarchyInconsistency``. In a callback beyond the bounds of
    ///   rule 3.25, ``ResourceFault/tooManyOperations``, the call only makes the child.
    public final func child(for key: Key, make: () -> Child) -> Child {
        if let member = members[key], member.isInService, isInPlace(member.child) {
            countUse(of: member, at: now())
            return member.child
        }
        precondition(key == key, "a key of a working set has to be equal to itself")
        let made = members[key]?.child ?? make()
        guard host.beginOperation(by: self) else { return made }
        defer { host.endOperation() }
        // The clock may call back, and make the key's child, so it is asked before the look-up.
        let time = now()
        guard let member = members[key] ?? join(made, for: key, at: time) else { return made }
        countUse(of: member, at: time)
        member.isInService = true
        makeRoom()
        place(member.child)
        return member.child
    }

    /// The child for a key, if there is one; does not count as a use.
    public final func childIfPresent(for key: Key) -> Child? { members[key]?.child }

    /// The children in service, the most recently used first.
    public final var childrenInService: [Child] {
        members.values.filter(\.isInService).sorted { $0.use > $1.use }.map(\.child)
    }

    /// Takes a child out of service and removes it; does nothing if there is none, or if it is only being added.
    public final func removeChild(for key: Key) {
        if let member = members[key] { remove(member) }
    }

    /// Puts the children in service into the new view; an override calls `super`.
    open override func viewDidLoad() {
        host.operations.resume()
        for child in childrenInService { place(child) }
        host.endOperation()
    }

    /// Takes idle children out of service, so that this warning unloads them; an override calls `super`.
    open override func didReceiveMemoryWarning() {
        if let idleTime {
            let time = now()
            let isIdle = { (member: Member) in member.isInService && member.time.duration(to: time) >= idleTime }
            host.operations.resume()
            // Callbacks of the earlier ones may use the later ones.
            for member in members.values.filter(isIdle).sorted(by: { $0.use < $1.use }) where isIdle(member) {
                retire(member)
            }
            host.endOperation()
        }
        super.didReceiveMemoryWarning()
    }

    final override var choosesChildren: Bool { true }

    override func wantsBack(_ child: ViewController) -> Bool { isWantedInService(child) }

    override func showAgain(_ child: ViewController) {
        guard let member = membersByChild[ObjectIdentifier(child)] else { return }
        if member.isInService { appearIfPutIn(member.child) }
        place(member.child)
    }

    /// Has a child appear whose own load has put its view into this one's.
    private func appearIfPutIn(_ child: Child) {
        guard isInside(child), appearance.isTowardsAppeared, !child.appearance.isTowardsAppeared else { return }
        if let place = child.viewIfLoaded?.superview { put(child, into: place) }
    }

    override func didLose(_ child: ViewController) {
        forget(child)
        takeOut(child)
    }

    /// Makes a controller a child with this key; reports the fault if that is refused, or if a callback has undone it.
    private func join(_ child: Child, for key: Key, at time: ContinuousClock.Instant) -> Member? {
        guard membersByChild[ObjectIdentifier(child)] == nil else {
            host.report(.hierarchyInconsistency, by: child)
            return nil
        }
        // It is a member before it is a child, so that its callbacks find it instead of making another one.
        let member = Member(key: key, child: child, time: time)
        members[key] = member
        membersByChild[ObjectIdentifier(child)] = member
        if !child.isChild(of: self) {
            adopt([child])
            if child.isChild(of: self) { child.announceDidMove(to: self) }
        }
        if !child.isChild(of: self) {
            forget(child)
            host.report(.hierarchyInconsistency, by: child)
        }
        return members[key] === member ? member : nil
    }

    private func forget(_ child: ViewController) {
        guard let member = membersByChild.removeValue(forKey: ObjectIdentifier(child)) else { return }
        member.isInService = false
        members[member.key] = nil
    }

    private func countUse(of member: Member, at time: ContinuousClock.Instant) {
        lastUse += 1
        member.use = lastUse
        member.time = time
    }

    private func makeRoom() {
        while members.count > limit {
            let inService = members.values.filter(\.isInService)
            guard inService.count > limit, let oldest = inService.min(by: { $0.use < $1.use }) else { return }
            retire(oldest)
        }
    }

    private func retire(_ member: Member) {
        member.isInService = false
        place(member.child)
    }

    /// Puts a child's view into this one's, or takes it out of it.
    ///
    /// Callbacks may change what is wanted, or bring this controller into service and the child with it; rule 3.25
    /// bounds how often.
    private func place(_ child: Child) {
        for _ in 0..<OperationBounds.steps {
            let isWanted = isWantedInService(child)
            if isWanted { putIn(child) } else { takeOut(child) }
            if isWantedInService(child) == isWanted, isWanted || !isInside(child) { return }
        }
    }

    private func isWantedInService(_ child: ViewController) -> Bool {
        membersByChild[ObjectIdentifier(child)]?.isInService ?? false
    }

    private func putIn(_ child: Child) {
        guard child.isChild(of: self), let view = viewIfLoaded else { return }
        guard child.loading != .runningLoadView else {
            child.isAwaited = true
            return
        }
        guard child.view != nil else { return }
        // The load calls back too.
        guard isWantedInService(child), viewIfLoaded === view, !isInPlace(child) else { return }
        if !put(child, into: view) { host.report(.hierarchyInconsistency, by: child) }
    }

    private func takeOut(_ child: ViewController) {
        if isInside(child) { child.viewIfLoaded?.takeOut() }
    }

    /// Whether a child's view lies in this one's, and not in a place of another parent there.
    private func isInside(_ child: ViewController) -> Bool {
        guard let view = viewIfLoaded, child.isViewInside(view) else { return false }
        guard let parent = child.parent, parent !== self, let place = parent.viewIfLoaded else { return true }
        return !child.isViewInside(place) || !place.isDescendant(of: view)
    }

    /// Whether a child in service needs nothing: its view is inside and not on its way out, or this one is not loaded.
    private func isInPlace(_ child: Child) -> Bool {
        guard isViewLoaded else { return true }
        return isInside(child) && (child.appearance.phase != .disappearing || !appearance.isTowardsAppeared)
    }

    private func removeReleased() {
        let isReleased = { (member: Member) in
            !member.isInService && !member.child.isViewLoaded && member.child.savedViewState == nil
        }
        guard members.values.contains(where: isReleased) else { return }
        let bytes = host.reclaiming.release {
            // Callbacks of the earlier ones may use the later ones.
            for member in Array(members.values) where isReleased(member) { remove(member) }
        }
        host.count(released: bytes)
    }

    private func remove(_ member: Member) {
        let child = member.child
        guard members[member.key] === member, hasLiving(child) else { return }
        guard host.beginOperation(by: self) else { return }
        forget(child)
        child.announceWillMove(to: nil)
        place(child)
        // A callback may have added it again.
        if membersByChild[ObjectIdentifier(child)] == nil, child.isChild(of: self) { child.leaveParent() }
        host.endOperation()
    }
}
