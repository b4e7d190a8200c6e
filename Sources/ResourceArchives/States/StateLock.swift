internal import CLinux
internal import MemoryPressure

/// The lock of the writers of one state, on a file beside it that no other user can open.
///
/// It is held until this value is destroyed; a kill releases it as well. The file stays: a writer that waits for a
/// removed file would hold a different lock than the next writer.
struct StateLock: ~Copyable {
    private let file: Descriptor

    /// Waits for the lock, at most for this time.
    ///
    /// - Throws: `KernelError` with the path of the lock: `EAGAIN` if another process still holds it, `EPERM` if the file
    ///   is not this user's alone.
    init(
        named name: String,
        in folder: borrowing Descriptor,
        path: String,
        timeout: Duration
    ) throws(KernelError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let folder = folder.raw
        let raw = retryingInterrupted { openat(folder, name, flags, 0o600) }
        guard raw >= 0 else { throw KernelError("open the lock", path, errno: errno) }
        let file = Descriptor(taking: raw)
        try Self.check(raw, path: path)
        try Self.wait(for: raw, path: path, until: .now + timeout)
        self.file = file
    }

    /// Refuses a file that another user could lock.
    private static func check(_ raw: CInt, path: String) throws(KernelError) {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw KernelError("look at the lock", path, errno: errno) }
        let isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
        guard isOwn else { throw KernelError("trust the lock", path, errno: EPERM) }
        // The process's umask may have reduced the mode, or an administrator extended it.
        guard status.st_mode & 0o7777 == 0o600 || fchmod(raw, 0o600) == 0 else {
            throw KernelError("set the mode of the lock", path, errno: errno)
        }
    }

    private static func wait(for raw: CInt, path: String, until deadline: ContinuousClock.Instant) throws(KernelError) {
        while retryingInterrupted({ flock(raw, LOCK_EX | LOCK_NB) }) != 0 {
            // Some filesystems have no locks, such as NFS without its daemon. Only one writer at a time may use the
            // state there.
            guard errno == EWOULDBLOCK else { return }
            guard .now < deadline else { throw KernelError("lock", path, errno: EWOULDBLOCK) }
            // The kernel could wait, but not with a timeout; a writer holds the lock for about as long as its disk
            // takes.
            usleep(5_000)
        }
    }
}
