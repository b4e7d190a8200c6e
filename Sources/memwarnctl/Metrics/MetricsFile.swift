import CLinux
import MemoryPressure

/// A file for the textfile collector of Prometheus's node exporter, which may read it at any time.
enum MetricsFile {
    /// Puts the text in the place of the file: a reader finds the old one or the new one, never a part of one.
    ///
    /// It waits for the disk, and has no name until it is there: a process that is killed leaves nothing. The name that it
    /// has then, until it takes the other's place, is one that the collector does not look at.
    ///
    /// - Throws: ``KernelError``, for example with `ENOSPC`; then the file is as it was, and nothing is beside it.
    static func write(_ text: String, to path: String) throws(KernelError) {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let name = path.dropFirst(folder.count)
        // The number of a process that lives: nobody else writes under this name now.
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
        // Somebody with this number may have been killed here.
        unlink(path)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var raw = open(folder, O_WRONLY | nameless | O_CLOEXEC, 0o644)
        let isNameless = raw >= 0
        // Some filesystems, such as NFS, know no files without a name.
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
        // The collector runs as another user, whatever this one's mask says. On the disk before the rename, or the name
        // may be there before what it names.
        guard fchmod(file.raw, 0o644) == 0, fsync(file.raw) == 0 else {
            throw KernelError("write", path, errno: errno)
        }
        guard !isNameless || linkat(AT_FDCWD, "/proc/self/fd/\(file.raw)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
        else {
            throw KernelError("make", path, errno: errno)
        }
    }
}
