import CLinux
import MemoryPressure
import WarningPolicy

/// A scope whose files are being opened, and the result; the opening may run on another thread.
///
/// The kernel arms a trigger under the lock of all cgroups, which it holds for tens of milliseconds when a cgroup with
/// triggers is removed, and looks up names under a lock that it holds for as long: a user that removes cgroups would
/// make the event loop wait.
// The thread writes it before it hands the opening back, and the loop reads it afterwards.
final class ScopeOpening: @unchecked Sendable {
    let scope: ScopeID
    let place: SensorPlace
    private let plan: StallPlan
    private let kernel: KernelTree
    private let inotify: CgroupMoves.Watches?
    private var result: Result<SensorFiles, KernelError>?
    /// The files of the headroom, which stay open.
    let headroomFiles = OpenFiles()
    /// The watches on limits that may change, if there are any.
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
        // Comes before the files are read, so that later changes are reported.
        moves = inotify?.add(place)
        do throws(KernelError) {
            let policy = SensorPolicy(stalls: plan)
            result = .success(try SensorFiles(place, in: kernel, policy: policy, from: headroomFiles))
        } catch {
            result = .failure(error)
        }
    }

    /// The files, after the opening is done.
    func files() throws(KernelError) -> SensorFiles {
        guard let result else { throw KernelError("open", place.name, errno: EAGAIN) }
        return try result.get()
    }
}
