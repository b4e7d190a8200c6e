internal import CLinux

/// Says which directories are made and removed inside of watched ones, and which watched files are written: inotify(7).
///
/// On cgroupfs nothing is told to watchers of a directory that is removed itself. A file counts as written when a process
/// writes to it, and when the kernel tells its pollers of a change.
package struct Inotify: ~Copyable {
    /// What happened.
    package enum Notice: Hashable, Sendable {
        /// A directory of this name was made in the one with this number.
        case made(CInt, String)
        /// A directory of this name was removed from the one with this number.
        case removed(CInt, String)
        /// The file with this number was written.
        case written(CInt)
        /// The kernel has left out notices, for too many were waiting.
        case overflow
    }

    private let inotify: Descriptor

    /// Opens an inotify descriptor that watches nothing yet.
    ///
    /// - Throws: ``KernelError`` with inotify_init1(2)'s errno; `EMFILE` says that the user has too many of them.
    package init() throws(KernelError) {
        let raw = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard raw >= 0 else { throw KernelError("make a watch of", "cgroups", errno: errno) }
        inotify = Descriptor(taking: raw)
    }

    /// What to poll for `POLLIN`.
    package var descriptor: CInt { inotify.raw }

    /// Begins to watch a directory and returns its number, which no other one gets afterwards.
    ///
    /// - Throws: ``KernelError`` with inotify_add_watch(2)'s errno; `ENOSPC` says that the user has too many watches.
    func add(directory path: String) throws(KernelError) -> CInt {
        try add(path, UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_ONLYDIR))
    }

    /// Begins to watch a file and returns its number; a file that is watched already keeps its own.
    ///
    /// - Throws: As ``add(directory:)``.
    package func add(file path: String) throws(KernelError) -> CInt { try add(path, UInt32(IN_MODIFY)) }

    private func add(_ path: String, _ mask: UInt32) throws(KernelError) -> CInt {
        let number = inotify_add_watch(inotify.raw, path, mask)
        guard number >= 0 else { throw KernelError("watch", path, errno: errno) }
        return number
    }

    /// Ends a watch, which keeps the inode in memory; nothing happens if it has ended by itself.
    package func remove(_ number: CInt) {
        inotify_rm_watch(inotify.raw, number)
    }

    /// Takes the notices that are waiting, as many as fit into one buffer; does not wait.
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
        // struct inotify_event: wd, mask, cookie, len, and so many bytes of name with NULs behind it.
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
