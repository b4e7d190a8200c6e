internal import CLinux

/// Reports which directories are created and removed inside watched directories, and which watched files are written:
/// inotify(7).
///
/// On cgroupfs the watchers of a directory are not notified when that directory itself is removed. A file counts as
/// written when a process writes to it, and when the kernel notifies its pollers of a change.
package struct Inotify: ~Copyable {
    /// A change in a watched directory or file.
    package enum Notice: Hashable, Sendable {
        /// A directory with this name was created in the directory with this number.
        case made(CInt, String)
        /// A directory with this name was removed from the directory with this number.
        case removed(CInt, String)
        /// The file with this number was written.
        case written(CInt)
        /// The kernel dropped notices because too many were waiting.
        case overflow
    }

    private let inotify: Descriptor

    /// Opens an inotify descriptor that watches nothing yet.
    ///
    /// - Throws: ``KernelError`` with inotify_init1(2)'s errno; `EMFILE` means that the user has too many of them.
    package init() throws(KernelError) {
        let raw = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard raw >= 0 else { throw KernelError("make a watch of", "cgroups", errno: errno) }
        inotify = Descriptor(taking: raw)
    }

    /// The descriptor to poll for `POLLIN`.
    package var descriptor: CInt { inotify.raw }

    /// Begins to watch a directory and returns its number, which is never used again.
    ///
    /// - Throws: ``KernelError`` with inotify_add_watch(2)'s errno; `ENOSPC` means that the user has too many watches.
    func add(directory path: String) throws(KernelError) -> CInt {
        try add(path, UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_ONLYDIR))
    }

    /// Begins to watch a file and returns its number; a file that is watched already keeps its number.
    ///
    /// - Throws: As ``add(directory:)``.
    package func add(file path: String) throws(KernelError) -> CInt { try add(path, UInt32(IN_MODIFY)) }

    private func add(_ path: String, _ mask: UInt32) throws(KernelError) -> CInt {
        let number = inotify_add_watch(inotify.raw, path, mask)
        guard number >= 0 else { throw KernelError("watch", path, errno: errno) }
        return number
    }

    /// Ends a watch, which keeps the inode in memory; does nothing if the watch has ended by itself.
    package func remove(_ number: CInt) {
        inotify_rm_watch(inotify.raw, number)
    }

    /// Reads the waiting notices that fit into one buffer; does not wait.
    ///
    /// - Throws: ``KernelError`` with read(2)'s errno.
    package func notices() throws(KernelError) -> [Notice] {
        // Room for at least 60 notices, since a name has at most 255 bytes.
        var bytes = [UInt8](repeating: 0, count: 16384)
        let count = retryingInterrupted { read(inotify.raw, &bytes, bytes.count) }
        guard count >= 0 else {
            if errno == EAGAIN { return [] }
            throw KernelError("read a watch of", "cgroups", errno: errno)
        }
        return bytes.withUnsafeBytes { Self.parse(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) -> [Notice] {
        var notices: [Notice] = []
        var rest = bytes
        // struct inotify_event: wd, mask, cookie, len, and len bytes: the name, padded with NULs.
        while rest.count >= 16 {
            let number = rest.loadUnaligned(fromByteOffset: 0, as: CInt.self)
            let mask = rest.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            let end = 16 + Int(rest.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            let name = String(validating: rest[16..<end].prefix { $0 != 0 }, as: UTF8.self)
            if mask & UInt32(IN_Q_OVERFLOW) != 0 {
                notices.append(.overflow)
            } else if mask & UInt32(IN_MODIFY) != 0 {
                notices.append(.written(number))
            } else if let name, mask & UInt32(IN_ISDIR) != 0 {
                if mask & UInt32(IN_CREATE) != 0 { notices.append(.made(number, name)) }
                if mask & UInt32(IN_DELETE) != 0 { notices.append(.removed(number, name)) }
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return notices
    }
}
