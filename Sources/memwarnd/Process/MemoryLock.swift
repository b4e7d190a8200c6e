import CLinux
import MemoryPressure
import MemwarnProgram

/// Keeps the daemon's memory from being swapped out: it has to work while everything else waits for its own.
enum MemoryLock {
    /// Whether memory is locked.
    ///
    // Of the process, whose one thread that uses it is the loop's.
    nonisolated(unsafe) private(set) static var isTaken = false

    /// Locks what is in memory now, and all that ever will be, each page when it is touched first.
    ///
    /// Pages that were never touched are not brought in: most of the program never runs. See mlock2(2).
    ///
    /// - Throws: ``KernelError``; `EPERM` if this process may not lock as much as it likes.
    static func take() throws(KernelError) {
        let purpose = "the daemon's memory"
        ResourceLimit.lockedMemory.raise()
        let mayLockAll = Capabilities.have(Capabilities.lockMemory, in: Capabilities.effective())
        // Under a limit it would go well now, and some later allocation would fail and the daemon with it.
        guard ResourceLimit.lockedMemory.hard == nil || mayLockAll else {
            throw KernelError("lock", purpose, errno: EPERM)
        }
        guard mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 else {
            throw KernelError("lock", purpose, errno: errno)
        }
        isTaken = true
    }

    /// Unlocks the memory until it is locked again.
    static func release() {
        munlockall()
        isTaken = false
    }
}
