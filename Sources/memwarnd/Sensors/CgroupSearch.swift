import MemoryPressure

/// The changes of cgroups that match patterns; another thread may search for them.
///
/// The kernel looks names up under a lock that it holds while a cgroup beside them is removed: a user that creates and
/// removes cgroups where a pattern leads would make the event loop wait.
// The loop does not access it between handing it over and getting it back.
final class CgroupSearch: @unchecked Sendable {
    /// A change that the search found.
    enum Finding {
        /// A cgroup has appeared.
        case appeared(SensorPlace)
        /// The cgroup with this path was removed.
        case vanished(path: String)
        /// There are more than this number; the others are left out.
        case tooMany(Int)
    }

    let finder: CgroupFinder
    /// The found changes, in order.
    private(set) var findings: [Finding] = []
    /// The error that ended the search, if there was one.
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
            // The host, or a removed cgroup: this check saves opening its files.
            guard !cgroup.isHierarchyRoot else { return nil }
            // A cgroup without processes has no `/proc` file to read: if v1 has the memory controller, its limits are
            // unknown.
            let usesV2 = KernelFile.exists(cgroup.directory + "/memory.current")
            return .appeared(SensorPlace(cgroup: cgroup, memory: usesV2 ? MemoryCgroup(cgroup) : nil))
        case .vanished(let path): return .vanished(path: path)
        case .tooMany(let limit): return .tooMany(limit)
        }
    }
}
