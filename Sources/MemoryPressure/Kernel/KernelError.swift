internal import CLinux

/// A failure of a system call or a kernel file: the operation, its object, and the errno.
public struct KernelError: Error, Equatable, Sendable {
    /// The operation, as a verb that fits "cannot …": `open`, `arm a trigger on`.
    public let operation: String
    /// The path of the file, or another name of the object.
    public let path: String
    /// The errno of the call.
    public let errno: CInt

    /// Creates an error; read `errno` directly after the call.
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
