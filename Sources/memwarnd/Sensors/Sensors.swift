import MemoryPressure
import Systemd
import WarningPolicy

/// All scopes: the host always, the cgroup of every registered host, and those that the configuration names.
///
/// Each is watched once, however many hosts share it.
final class Sensors {
    /// The whole host.
    let host: Scope
    /// The cgroups by path.
    private(set) var cgroups: [String: Scope] = [:]
    /// Called with a cgroup that is watched from now on.
    var opened: (Scope) -> Void = { _ in }
    /// Called from the loop with what happens in a scope.
    var handler: (Scope, Scope.Event) -> Void = { _, _ in }
    /// Called when a cgroup is watched that the configuration names, or no longer.
    var configured: (Scope, Bool) -> Void = { _, _ in }

    private var lastID: UInt64 = 1
    let kernel: KernelTree
    private let mounts: CgroupMounts
    private let loop: EventLoop
    private var policy: SensorPolicy
    /// The levels that scopes had in a daemon before this one, by path, until the scope is watched again.
    private var inherited: [String: PressureLevel]
    private let started = MonotonicInstant.now
    private var patrol: CgroupPatrol?
    /// Cgroups that no host lives in any more, by path, while they are still watched.
    private var abandoned: [String: Scope] = [:]
    private var closing: DeferredSource?

    /// Begins to watch the host; `inherited` are the levels that scopes had in a daemon before this one.
    init(
        kernel: KernelTree,
        configuration: Settings,
        inherited: [String: PressureLevel] = [:],
        loop: EventLoop
    ) {
        self.kernel = kernel
        mounts = CgroupMounts(in: kernel)
        // Now, so that its descriptor is among those of a daemon without hosts.
        _ = try? mounts.all(of: .unified)
        self.loop = loop
        self.inherited = inherited
        policy = SensorPolicy(levels: configuration.levels, stalls: configuration.stalls)
        host = Scope(
            id: lastID,
            path: "/",
            place: .host,
            kernel: kernel,
            policy: policy,
            level: inherited["/"] ?? .normal,
            loop: loop
        )
        host.handler = { [unowned self] in handler($0, $1) }
        closing = try? loop.deferred { [unowned self] in closeOne() }
    }

    /// Watches the cgroups that match patterns, and no others that no host lives in.
    ///
    /// - Throws: ``KernelError`` where they cannot be looked for.
    func watch(_ patterns: [CgroupPattern]) throws(KernelError) {
        patrol = nil
        let before = cgroups.values.filter(\.isConfigured)
        for scope in before { scope.isConfigured = false }
        // Those that the new patterns name as well are watched on, and keep their levels.
        defer {
            for scope in before where !scope.isConfigured { configured(scope, false) }
        }
        guard !patterns.isEmpty else { return }
        let patrol = try CgroupPatrol(patterns, in: kernel, loop: loop)
        patrol.appeared = { [unowned self] in configure($0) }
        patrol.vanished = { [unowned self] path in
            if let scope = cgroups[path], scope.isConfigured { handler(scope, .lost) }
        }
        self.patrol = patrol
        patrol.begin()
    }

    /// What kept configured cgroups from being looked for, as far as anything did.
    var patrolFailure: String? { patrol?.failure }

    private func configure(_ cgroup: Cgroup) {
        guard !cgroup.isHierarchyRoot else { return }
        // A cgroup that nobody is in yet has no process to ask: where v1 has the memory controller its limits are unknown.
        let usesV2 = KernelFile.exists(cgroup.directory + "/memory.current")
        let place = SensorPlace(cgroup: cgroup, memory: usesV2 ? MemoryCgroup(cgroup) : nil)
        guard let scope = watched(place, cgroup) else { return }
        scope.isConfigured = true
        configured(scope, true)
    }

    /// The scope that a process belongs to: its own cgroup's, or the host's where that cannot be watched from here.
    func scope(of pid: UInt32) -> Scope {
        guard let place = try? SensorPlace.of(.pid(pid), below: mounts), let cgroup = place.cgroup else { return host }
        return watched(place, cgroup) ?? host
    }

    /// The root of a cgroup namespace is an ordinary cgroup, but calls itself what the host is called here.
    private static func name(of cgroup: Cgroup) -> String { cgroup.path == "/" ? "/." : cgroup.path }

    /// The scope of a cgroup, watched from now on if it was not; `nil` if it cannot be.
    private func watched(_ place: SensorPlace, _ cgroup: Cgroup) -> Scope? {
        let path = Self.name(of: cgroup)
        return cgroups[path] ?? takeBack(path) ?? open(place, at: path)
    }

    private func open(_ place: SensorPlace, at path: String) -> Scope? {
        lastID += 1
        let scope = Scope(
            id: lastID,
            path: path,
            place: place,
            kernel: kernel,
            policy: policy,
            level: inheritedLevel(of: path),
            loop: loop
        )
        scope.handler = { [unowned self] in handler($0, $1) }
        guard scope.failure == nil else { return nil }
        cgroups[path] = scope
        opened(scope)
        return scope
    }

    private func inheritedLevel(of path: String) -> PressureLevel {
        // No level lasts for longer on old evidence; a cgroup that is made later may be another one of that name.
        guard started.duration(to: .now) < policy.levels.hold else { return .normal }
        return inherited.removeValue(forKey: path) ?? .normal
    }

    /// Stops watching a cgroup that no host lives in, unless it is configured, as soon as there is nothing else to do.
    ///
    /// The kernel waits for tens of milliseconds when a cgroup's triggers are taken back: a service that comes and goes, or
    /// many that leave together, would hold up a warning. A host that comes back before that finds the cgroup still watched.
    ///
    /// - Returns: Whether it is watched no more.
    func release(_ scope: Scope) -> Bool {
        guard scope !== host, !scope.isConfigured, cgroups[scope.path] === scope else { return false }
        forget(scope)
        guard let closing else { return true }
        scope.handler = { [unowned self] scope, event in
            if case .lost = event { abandoned[scope.path] = nil }
        }
        abandoned[scope.path] = scope
        closing.schedule()
        return true
    }

    /// One at a turn: what has become more important meanwhile is seen to in between.
    private func closeOne() {
        _ = abandoned.popFirst()
        if !abandoned.isEmpty { closing?.schedule() }
    }

    private func takeBack(_ path: String) -> Scope? {
        guard let scope = abandoned.removeValue(forKey: path) else { return nil }
        scope.handler = { [unowned self] in handler($0, $1) }
        // Where the triggers cannot be armed by new rules, the old ones serve.
        try? scope.follow(policy)
        cgroups[path] = scope
        opened(scope)
        return scope
    }

    /// Stops watching a cgroup, whatever lives in it.
    func forget(_ scope: Scope) {
        if cgroups[scope.path] === scope { cgroups[scope.path] = nil }
    }

    /// Takes new rules over, for all scopes.
    ///
    /// - Returns: what kept scopes from having their triggers armed by the new rules.
    func follow(_ configuration: Settings) -> [KernelError] {
        policy = SensorPolicy(levels: configuration.levels, stalls: configuration.stalls)
        return all.compactMap { scope in
            do throws(KernelError) {
                try scope.follow(policy)
                return nil
            } catch {
                return error
            }
        }
    }

    /// The host and all cgroups, in order of their ids.
    var all: [Scope] { [host] + cgroups.values.sorted { $0.id < $1.id } }

    /// The scope with this path, if it is watched.
    func scope(at path: String) -> Scope? { path == host.path ? host : cgroups[path] }

    /// The scope with this number, if it is watched.
    func scope(_ id: ScopeID) -> Scope? { id == host.id ? host : cgroups.values.first { $0.id == id } }
}
