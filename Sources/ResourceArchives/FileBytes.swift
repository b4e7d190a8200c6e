internal import CLinux
internal import MemoryPressure

/// Reading whole files.
enum FileBytes {
    /// The bytes of a file; blocks for the disk.
    static func read(_ path: String) throws(KernelError) -> [UInt8] {
        try read(Descriptor(opening: path, O_RDONLY), path: path)
    }

    /// The bytes of an open file, from where it stands.
    static func read(_ file: borrowing Descriptor, path: String) throws(KernelError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let raw = file.raw
            let count = retryingInterrupted { CLinux.read(raw, &chunk, chunk.count) }
            guard count >= 0 else { throw KernelError("read", path, errno: errno) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}
