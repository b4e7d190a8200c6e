internal import CLinux
internal import MemoryPressure
internal import ResourceManager

/// Reading whole files.
enum FileBytes {
    /// The flags for archives and states: opening never waits, and no terminal becomes the controlling terminal.
    static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

    /// The bytes of a regular file, or the first of one that is longer than archives may be; blocks for the disk.
    static func read(_ path: String) throws(KernelError) -> [UInt8] {
        try read(Descriptor(opening: path, flags), path: path)
    }

    /// The bytes of an open file, from its position; like ``read(_:)``.
    static func read(_ file: borrowing Descriptor, path: String) throws(KernelError) -> [UInt8] {
        let raw = file.raw
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw KernelError("look at", path, errno: errno) }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw KernelError("read", path, errno: EISDIR) }
        guard kind == S_IFREG else { throw KernelError("take for a regular file", path, errno: EINVAL) }
        // One byte more than the limit, which shows that the file is longer.
        let limit = ArchiveLimits.bytes + 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(Int(status.st_size), limit))
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let size = min(chunk.count, limit - bytes.count)
            let count = retryingInterrupted { CLinux.read(raw, &chunk, size) }
            guard count >= 0 else { throw KernelError("read", path, errno: errno) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
