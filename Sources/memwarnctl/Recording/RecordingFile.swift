import CLinux
import MemoryPressure

/// The file of a recording.
struct RecordingFile: ~Copyable {
    private let path: String
    private let descriptor: Descriptor
    /// Its size in bytes.
    private(set) var size: UInt64 = 0

    /// Creates a new file; an existing file is not replaced.
    init(making path: String) throws(KernelError) {
        self.path = path
        let raw = retryingInterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
        guard raw >= 0 else { throw KernelError("make", path, errno: errno) }
        descriptor = Descriptor(taking: raw)
    }

    /// Adds bytes at the end.
    mutating func append(_ bytes: [UInt8]) throws(KernelError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                retryingInterrupted {
                    write(descriptor.raw, buffer.baseAddress?.advanced(by: done), buffer.count - done)
                }
            }
            guard count > 0 else { throw KernelError("write", path, errno: errno) }
            done += count
        }
        size += UInt64(bytes.count)
    }

    /// Reads a whole recording.
    ///
    /// - Throws: ``KernelError``; `EFBIG` stands for a file that is longer than a recording of many days.
    static func read(_ path: String) throws(KernelError) -> [UInt8] {
        let file = try Descriptor(opening: path, O_RDONLY)
        return try KernelFile.bytes(file.raw, path: path, limit: sizeLimit)
    }

    /// This holds a year of a calm machine, and a week of a machine that is never calm.
    private static let sizeLimit = 64 << 20
}
