internal import CLinux

/// The kernel did not provide the memory for a ``CacheBuffer``.
public struct CacheBufferError: Error, Hashable, Sendable {
    /// The system call that failed: `mmap`.
    public let operation: String
    /// The number of requested bytes.
    public let byteCount: Int
    /// The errno of the call.
    public let errno: CInt

    init(_ operation: String, byteCount: Int, errno: CInt) {
        self.operation = operation
        self.byteCount = byteCount
        self.errno = errno
    }
}

extension CacheBufferError: CustomStringConvertible {
    /// One line: the operation, the number of bytes, the reason, and the remedy.
    public var description: String {
        """
        cannot \(operation) \(byteCount) bytes of anonymous memory: \(String(cString: strerror(errno))) (errno \(errno)); \
        \(advice)
        """
    }

    /// The remedy, in one sentence.
    public var advice: String {
        switch errno {
        case ENOMEM:
            """
            hold less, or raise the limit that is reached: the address space (ulimit -v), the committed memory \
            (vm.overcommit_memory=2) or the number of mappings (vm.max_map_count)
            """
        case EAGAIN: "the process locks all its memory; hold less, or raise the limit of locked memory (ulimit -l)"
        default: "hold less, or keep these bytes in an array"
        }
    }
}
