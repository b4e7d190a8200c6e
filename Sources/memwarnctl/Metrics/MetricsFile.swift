import CLinux
import MemoryPressure

/// A file for the textfile collector of Prometheus's node exporter, which may read it at any time.
enum MetricsFile {
    /// Replaces the file by the text: a reader finds the old file or the new one, never a part of one.
    ///
    /// The new file has no name until it is on the disk: a killed process leaves nothing. After that, until it replaces
    /// the old file, it has a name that the collector ignores.
    ///
    /// - Throws: ``KernelError``, for example with `ENOSPC`, or `EINVAL` if there is a device, a link or another file
    ///   that is not regular; then the old file is unchanged, and there is no other file beside it.
    static func write(_ text: String, to path: String) throws(KernelError) {
        try KernelFile.checkIsReplaceable(path, path: path)
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        let name = path.dropFirst(folder.count)
        // The name contains the ID of this process: no other process uses it now.
        let temporary = "\(folder).\(name).\(getpid())"
        do throws(KernelError) {
            try create(temporary, text)
            guard rename(temporary, path) == 0 else { throw KernelError("write", path, errno: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// O_TMPFILE, which Swift does not import.
    private static let nameless: CInt = 0o20000000 | O_DIRECTORY

    private static func create(_ path: String, _ text: String) throws(KernelError) {
        // An earlier process with this ID may have been killed here.
        unlink(path)
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        var raw = open(folder, O_WRONLY | nameless | O_CLOEXEC, 0o644)
        let isNameless = raw >= 0
        // Some filesystems, such as NFS, do not support files without a name.
        if !isNameless { raw = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
        guard raw >= 0 else { throw KernelError("make", path, errno: errno) }
        let file = Descriptor(taking: raw)
        var left = Array(text.utf8)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { bytes in
                retryingInterrupted { CLinux.write(file.raw, bytes.baseAddress, bytes.count) }
            }
            guard count >= 0 else { throw KernelError("write", path, errno: errno) }
            left = left.dropFirst(count)
        }
        // The collector runs as another user, so the mode must not depend on the umask. The contents have to be on the
        // disk before the rename, or the name may precede them.
        guard fchmod(file.raw, 0o644) == 0, fsync(file.raw) == 0 else {
            throw KernelError("write", path, errno: errno)
        }
        guard !isNameless || linkat(AT_FDCWD, "/proc/self/fd/\(file.raw)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
        else {
            throw KernelError("make", path, errno: errno)
        }
    }
}
