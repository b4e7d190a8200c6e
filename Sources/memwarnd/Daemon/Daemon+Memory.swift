import CLinux
import MemoryPressure
import Systemd
import WarningPolicy

extension Daemon {
    /// The delay between the departure of a host or scope, or a reload, and the return of memory: many may follow within
    /// seconds.
    private static let pause = Duration.seconds(5)

    /// After peers, newcomers, hosts or scopes have left, or a reload: schedules the return of their memory, later and
    /// in a calm moment.
    func scheduleShrinking() {
        guard !isShrinkingDue else { return }
        isShrinkingDue = true
        shrinking?.arm(after: Self.pause)
    }

    /// Shrinks tables that have held many more hosts or scopes, and returns free memory to the kernel; the first time,
    /// some seconds after the start, also the code that ran in between and that no warning needs.
    func shrink() {
        // This allocates memory first, and would delay hosts; while memory is short, code may have to come from a disk.
        guard policy.rounds.underWay.isEmpty, hasSettled || policy.scopes.worst == .normal else {
            shrinking?.arm(after: Self.pause)
            return
        }
        isShrinkingDue = false
        shrinkTables()
        // Locked pages cannot be returned.
        let isLocked = MemoryLock.isTaken
        if isLocked { MemoryLock.release() }
        trim_heap()
        if !hasSettled { StartupCode.release() }
        if isLocked {
            do throws(KernelError) {
                try MemoryLock.take()
            } catch {
                log.notLocked("\(error)")
            }
        }
        if !hasSettled { Rehearsal.run(sensors.kernel) }
        hasSettled = true
    }
}
