internal import CLinux

/// A failed call into libsystemd: the operation, and the errno.
public struct SystemdError: Error, Equatable, Sendable {
    /// The operation and its object, as words that fit "cannot …": `watch file descriptor 7`.
    public let operation: String
    /// The errno that libsystemd returned.
    public let errno: CInt

    init(_ operation: String, errno: CInt) {
        self.operation = operation
        self.errno = errno
    }

    /// Returns the result of a libsystemd function, and throws if it is a negative errno.
    @discardableResult
    static func check(_ result: CInt, _ operation: @autoclosure () -> String) throws(Self) -> CInt {
        guard result >= 0 else { throw Self(operation(), errno: -result) }
        return result
    }
}

extension SystemdError: CustomStringConvertible {
    /// One line, for example `cannot watch file descriptor 7: Operation not permitted (errno 1)`.
    public var description: String {
        "cannot \(operation): \(String(cString: strerror(errno))) (errno \(errno))"
    }
}
