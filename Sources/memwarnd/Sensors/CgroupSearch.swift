import MemoryPressure

/// The changes of cgroups that match patterns; another thread may search for them.
///
/// The kernel looks names up under a lock that it holds while a cgroup beside them is removed: a user that creates and
/// removes cgroups where a pattern leads would make the event loop wait.
// The loop leaves it alone from when it hands it over until it has it back.
final class CgroupSearch: @unchecked Sendable {
    /// A change that the search found.
    enum Finding {
        /// A cgroup has appeared.
        case appeared(SensorPlace)
        /// The one with this path was removed.
        case vanished(path: String)
        /// There are more than this number; the rest is left out.
        case tooMany(Int)
    }

    let finder: CgroupFinder
    /// The found changes, in order.
    private(set) var findings: [Finding] = []
    /// Why the search was broken off, if it was.
    private(set) var error: KernelError?

    init(_ finder: CgroupFinder) {
        self.finder = finder
    }

    func perform() {
        do throws(KernelError) {
            findings = try finder.update().compactMap { Self.finding($0) }
        } catch {
            self.error = error
        }
    }

    private static func finding(_ event: CgroupFinder.Event) -> Finding? {
        switch event {
        case .appeared(let cgroup):
            // It is the host, or already gone: this check saves opening its files.
            guard !cgroup.isHierarchyRoot else { return nil }
            // A cgroup without a process has none to ask: where v1 has the memory controller its limits are unknown.
            let usesV2 = KernelFile.exists(cgroup.directory + "/memory.current")
            return .appeared(SensorPlace(cgroup: cgroup, memory: usesV2 ? MemoryCgroup(cgroup) : nil))
        case .vanished(let path): return .vanished(path: path)
        case .tooMany(let limit): return .tooMany(limit)
        }
    }
}
