import CLinux
import MemoryPressure
import Systemd
import WarningPolicy

extension Daemon {
    /// How long after a host has left memory is given back: whole crowds come and go within seconds.
    private static let pause = Duration.seconds(5)

    /// Peers or hosts have left: has what they took be given back, later and in a calm moment.
    func scheduleShrinking() {
        guard !isShrinkingDue else { return }
        isShrinkingDue = true
        shrinking?.arm(after: Self.pause)
    }

    /// Makes tables smaller that far more hosts were in, and gives the kernel back what is free.
    func shrink() {
        // Memory is allocated for that first, and hosts would wait.
        guard policy.rounds.underWay.isEmpty else {
            shrinking?.arm(after: Self.pause)
            return
        }
        isShrinkingDue = false
        shrinkTables()
        // Locked memory cannot be given back.
        let isLocked = MemoryLock.isTaken
        if isLocked { MemoryLock.release() }
        trim_heap()
        guard isLocked else { return }
        do throws(KernelError) {
            try MemoryLock.take()
        } catch {
            log.notLocked("\(error)")
        }
    }
}
