package import CLinux
package import MemoryPressure

/// The address of a socket in the file system.
package struct SocketAddress {
    private var raw = sockaddr_un()

    /// - Throws: ``KernelError`` with `ENAMETOOLONG`: the kernel takes at most 107 bytes; with `EINVAL` for an empty path, and
    ///   for one with NUL, where the kernel would end it.
    package init(path: String) throws(KernelError) {
        let bytes = path.utf8
        let capacity = MemoryLayout.size(ofValue: raw.sun_path)
        guard bytes.count < capacity else { throw KernelError("use the socket path", path, errno: ENAMETOOLONG) }
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw KernelError("use the socket path", path.isEmpty ? "“”" : path, errno: EINVAL)
        }
        raw.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Passes the address to a system call.
    package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: raw) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The paths of the daemon's socket.
package enum SocketLocation {
    /// The environment variable that names it.
    package static let variable = "MEMWARND_SOCKET"
    /// The socket of the system's daemon.
    package static let system = "/run/memwarnd/memwarnd.sock"

    /// The socket of a user's own daemon, if the user has a run-time directory.
    package static var user: String? {
        environment("XDG_RUNTIME_DIR").map { $0 + "/memwarnd/memwarnd.sock" }
    }

    /// The paths to try, in this order: only the path in `MEMWARND_SOCKET` if it is set, otherwise the system's and
    /// then the user's own.
    package static var candidates: [String] {
        if let named = environment(variable) { return [named] }
        return [system] + (user.map { [$0] } ?? [])
    }

    /// The default path on which a daemon listens: the path in `MEMWARND_SOCKET`, otherwise the system's path for root
    /// and the user's own path for other users.
    package static var toListen: String {
        if let named = environment(variable) { return named }
        return geteuid() == 0 ? system : user ?? system
    }

    private static func environment(_ name: String) -> String? {
        // A program with more rights than its caller accepts no paths from the caller.
        guard getuid() == geteuid(), getgid() == getegid(), let value = getenv(name), value.pointee != 0 else {
            return nil
        }
        return String(cString: value)
    }
}
