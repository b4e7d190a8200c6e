import Glibc
import MemoryPressure

/// Keeps the daemon's memory from being swapped out: it has to work while everything else waits for its own.
enum MemoryLock {
    /// Locks what is in memory now, and all that ever will be, each page when it is touched first.
    ///
    /// Pages that were never touched are not brought in: most of the program never runs. See mlock2(2).
    ///
    /// - Throws: ``KernelError``; `EPERM` if this process may not lock as much as it likes.
    static func take() throws(KernelError) {
        let purpose = "the daemon's memory"
        let resource = __rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        // Under a limit it would go well now, and some later allocation would fail and the daemon with it.
        guard limit.rlim_max == .max || mayLockAll else { throw KernelError("lock", purpose, errno: EPERM) }
        guard mlockall(MCL_CURRENT | MCL_FUTURE | onFault) == 0 else {
            throw KernelError("lock", purpose, errno: errno)
        }
    }

    /// `MCL_ONFAULT`, which Swift's Glibc module does not have (mman-linux.h).
    private static let onFault: CInt = 4

    /// Whether this process has `CAP_IPC_LOCK` (number 14), for which no limit counts.
    private static var mayLockAll: Bool {
        guard let status = try? KernelFile.text(of: "/proc/self/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let bits = line.split(whereSeparator: { $0 == "\t" || $0 == " " }).last.flatMap({ UInt64($0, radix: 16) })
        else { return false }
        return bits & 1 << 14 != 0
    }
}
