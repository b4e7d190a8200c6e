internal import CLinux

/// Duplicates of another owner's descriptors, close-on-exec; they are closed with the last reference.
final class HeldDescriptors {
    let fds: [CInt]

    /// Duplicates descriptors, which stay the caller's.
    ///
    /// - Throws: ``SystemdError`` if one of them is not open (`EBADF`) or no descriptor is left (`EMFILE`).
    init(duplicating originals: [CInt]) throws(SystemdError) {
        var duplicates: [CInt] = []
        for original in originals {
            let duplicate = fcntl(original, F_DUPFD_CLOEXEC, 0)
            guard duplicate >= 0 else {
                let error = SystemdError("duplicate file descriptor \(original)", errno: errno)
                for fd in duplicates { close(fd) }
                throw error
            }
            duplicates.append(duplicate)
        }
        fds = duplicates
    }

    deinit {
        for fd in fds { close(fd) }
    }
}
