internal import CLinux

/// A kernel file or system call that failed: what was tried, on what, and the errno.
public struct KernelError: Error, Equatable, Sendable {
    /// What was tried, as a verb that fits "cannot …": `open`, `arm a trigger on`.
    public let operation: String
    /// The file it was tried on, or what else names the object.
    public let path: String
    /// The errno of the call.
    public let errno: CInt

    /// Records a failure; pass `errno` as read right beside the call.
    public init(_ operation: String, _ path: String, errno: CInt) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }
}

extension KernelError: CustomStringConvertible {
    /// One line, for example `cannot open /proc/pressure/memory: No such file or directory (errno 2)`.
    public var description: String {
        "cannot \(operation) \(path): \(String(cString: strerror(errno))) (errno \(errno))"
    }
}
