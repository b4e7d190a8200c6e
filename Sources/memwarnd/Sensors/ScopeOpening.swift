import CLinux
import MemoryPressure
import WarningPolicy

/// A scope whose files are opened, and what came of that; what may be done on another thread.
///
/// The kernel arms a trigger under the lock of all cgroups, which it holds for tens of milliseconds when a cgroup is removed
/// that has triggers, and looks names up under a lock that it holds for as long: a user that removes cgroups would have the
/// event loop wait.
// Written by the thread before it hands the opening back, and read by the loop after it took it back.
final class ScopeOpening: @unchecked Sendable {
    let scope: ScopeID
    let place: SensorPlace
    private let plan: StallPlan
    private let kernel: KernelTree
    private let inotify: CgroupMoves.Watches?
    private var result: Result<SensorFiles, KernelError>?
    /// The watches of what may be moved, as far as there are any.
    private(set) var moves: CgroupMoves.Added?

    init(
        _ scope: ScopeID,
        _ place: SensorPlace,
        _ plan: StallPlan,
        in kernel: KernelTree,
        hearing inotify: CgroupMoves.Watches?
    ) {
        (self.scope, self.place, self.plan, self.kernel, self.inotify) = (scope, place, plan, kernel, inotify)
    }

    func perform() {
        // Before the files are read: what is moved afterwards is heard of.
        moves = inotify?.add(place)
        do throws(KernelError) {
            result = .success(try SensorFiles(place, in: kernel, policy: SensorPolicy(stalls: plan)))
        } catch {
            result = .failure(error)
        }
    }

    /// The files, once that is done.
    func files() throws(KernelError) -> SensorFiles {
        guard let result else { throw KernelError("open", place.name, errno: EAGAIN) }
        return try result.get()
    }
}
