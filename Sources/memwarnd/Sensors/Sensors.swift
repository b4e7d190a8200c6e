import MemoryPressure
import Systemd

/// All scopes: the host always, and the cgroup of every registered host, watched once however many hosts share it.
final class Sensors {
    /// The whole host.
    let host: Scope
    /// The cgroups by path.
    private(set) var cgroups: [String: Scope] = [:]
    /// Called from the loop with what happens in a scope.
    var handler: (Scope, Scope.Event) -> Void = { _, _ in }

    private var lastID: UInt64 = 1
    private let kernel: KernelTree
    private let configuration: Configuration
    private let loop: EventLoop

    /// Begins to watch the host.
    init(kernel: KernelTree, configuration: Configuration, loop: EventLoop) {
        self.kernel = kernel
        self.configuration = configuration
        self.loop = loop
        host = Scope(
            id: lastID,
            path: "/",
            pressure: kernel.hostPressure,
            policy: configuration.levels,
            plan: configuration.stalls,
            loop: loop,
            headroom: { (try? MemoryAvailability.read(in: kernel))?.headroom }
        )
        host.handler = { [unowned self] in handler($0, $1) }
    }

    /// The scope that a process belongs to: its own cgroup's, or the host's where that cannot be watched from here.
    func scope(of pid: UInt32) -> Scope {
        guard let cgroup = try? Cgroup.of(.pid(pid), in: kernel), !cgroup.isHierarchyRoot else { return host }
        // The root of a cgroup namespace is an ordinary cgroup, but calls itself what the host is called here.
        let path = cgroup.path == "/" ? "/." : cgroup.path
        if let known = cgroups[path] { return known }
        lastID += 1
        let scope = Scope(
            id: lastID,
            path: path,
            pressure: cgroup.pressure,
            policy: configuration.levels,
            plan: configuration.stalls,
            loop: loop
        )
        scope.handler = { [unowned self] in handler($0, $1) }
        guard scope.failure == nil else { return host }
        cgroups[path] = scope
        return scope
    }

    /// Stops watching a cgroup that no host lives in any more.
    func release(_ scope: Scope) {
        if scope.hosts.isEmpty { forget(scope) }
    }

    /// Stops watching a cgroup, whoever lives in it.
    func forget(_ scope: Scope) {
        if cgroups[scope.path] === scope { cgroups[scope.path] = nil }
    }

    /// The host and all cgroups, in order of their ids.
    var all: [Scope] { [host] + cgroups.values.sorted { $0.id < $1.id } }

    /// The scopes with hosts of their own that lie within a scope, itself included.
    func within(_ scope: Scope) -> [Scope] {
        scope === host ? all : cgroups.values.filter { $0.path.isWithin(scope.path) }
    }

    /// The scope whose level counts for the hosts of `scope`: the worst of it and those above it, of equals the closest.
    func binding(_ scope: Scope) -> Scope {
        var binding = scope
        for candidate in cgroups.values where scope.path.isWithin(candidate.path) {
            if (candidate.level, candidate.path.utf8.count) > (binding.level, binding.path.utf8.count) {
                binding = candidate
            }
        }
        return host.level > binding.level ? host : binding
    }

    /// How far the host is over its comfortable point, the headroom at which a warning ends; 0 if it is not, or unknown.
    func bytesWanted() -> UInt64 {
        guard let memory = try? MemoryAvailability.read(in: kernel) else { return 0 }
        let comfortable = memory.total / 10_000 * UInt64(configuration.levels.headroomFallPoint.basisPoints)
        return comfortable > memory.available ? comfortable - memory.available : 0
    }
}

extension String {
    /// Whether this cgroup's path is `ancestor` or lies below it.
    func isWithin(_ ancestor: String) -> Bool {
        self == ancestor || ancestor == "/." || hasPrefix(ancestor + "/")
    }
}
