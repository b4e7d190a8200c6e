import CLinux
import MemoryPressure
import MemwarnProgram

/// Prevents the daemon's memory from being swapped out: it has to work while all other processes wait for memory.
enum MemoryLock {
    /// Whether memory is locked.
    ///
    // Global to the process, and only the loop's thread uses it.
    nonisolated(unsafe) private(set) static var isTaken = false

    /// Locks the pages that are in memory now, and all later ones when they are first touched.
    ///
    /// Pages that were never touched are not loaded: most of the program never runs. See mlock2(2).
    ///
    /// - Throws: ``KernelError``; `EPERM` if this process may not lock an unlimited amount.
    static func take() throws(KernelError) {
        let purpose = "the daemon's memory"
        ResourceLimit.lockedMemory.raise()
        let mayLockAll = Capabilities.have(Capabilities.lockMemory, in: Capabilities.effective())
        // With a limit this would succeed now, but a later allocation would fail and end the daemon.
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
