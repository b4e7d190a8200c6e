import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd

/// A socket that newcomers connect to: created here, or inherited from the service manager.
final class ListeningSocket: Sendable {
    /// Its path, if it is known.
    let path: String
    private let descriptor: Descriptor
    /// The file that has to be removed at the end; the service manager removes its own.
    private let file: FileNumber?

    /// Distinguishes a socket from a later one of the same path.
    private struct FileNumber: Equatable {
        let device: dev_t
        let number: ino_t

        /// The socket at a path; `nil` if there is none.
        init?(socketAt path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    /// Takes ownership of the socket of a socket unit.
    init(inherited socket: InheritedDescriptor) {
        path = Self.path(of: socket.fd) ?? socket.name
        descriptor = Descriptor(taking: socket.fd)
        file = nil
        // The service manager passes blocking sockets (NonBlocking= of systemd.service(5)): an accept without a
        // newcomer would block the daemon.
        _ = fcntl(socket.fd, F_SETFL, fcntl(socket.fd, F_GETFL) | O_NONBLOCK)
        PassedDescriptors.refuse(on: socket.fd)
    }

    /// Creates a socket of this type, and its directory; replaces a socket on which no process listens any more.
    ///
    /// - Throws: ``KernelError``: `EADDRINUSE` if another daemon listens there, `EEXIST` if the path is not a socket,
    ///   `EACCES` if this user may not listen.
    init(path: String, type: __socket_type = SOCK_SEQPACKET) throws(KernelError) {
        let address = try SocketAddress(path: path)
        var folderError: CInt = 0
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        if mkdir(folder, 0o755) != 0 { folderError = errno }
        let turn = Self.takeTurn(in: folder)
        defer { withExtendedLifetime(turn) {} }
        let descriptor = try FrameSocket.make(for: path, type: CInt(type.rawValue))
        let raw = descriptor.raw
        var result = address.withSockaddr { bind(raw, $0, $1) }
        if result != 0, errno == EADDRINUSE {
            // A file that is not a socket refuses connections like a socket without a listener, and must not be
            // removed.
            guard FileNumber(socketAt: path) != nil else { throw KernelError("listen on", path, errno: EEXIST) }
            guard Self.isAbandoned(path) else { throw KernelError("listen on", path, errno: EADDRINUSE) }
            unlink(path)
            result = address.withSockaddr { bind(raw, $0, $1) }
        }
        guard result == 0 else {
            // Without its folder, the reason is why that could not be made; a link to a missing folder exists.
            let reason = errno == ENOENT && folderError != 0 && folderError != EEXIST ? folderError : errno
            throw KernelError("listen on", path, errno: reason)
        }
        // A newcomer waits behind all in the backlog, which take 10 µs each to accept while processes connect without
        // end; a client of the native socket that finds it full tries again. A program at the pressure socket does not.
        let backlog: CInt = type == SOCK_STREAM ? 4096 : 1024
        // Every process may register; the credentials of a peer decide which requests it may make.
        guard chmod(path, 0o666) == 0, listen(raw, backlog) == 0 else {
            throw KernelError("listen on", path, errno: errno)
        }
        self.path = path
        self.descriptor = descriptor
        file = FileNumber(socketAt: path)
    }

    /// Creates a socket without a path, for a daemon whose peers are passed to it.
    ///
    /// - Throws: ``KernelError``, most likely `EMFILE`.
    init() throws(KernelError) {
        path = ""
        descriptor = try FrameSocket.make(for: "a private door")
        file = nil
        // Without a path the kernel chooses a name (unix(7), autobind). The socket has to listen: an idle one would be
        // reported as hung up all the time.
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let raw = descriptor.raw
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(raw, $0, socklen_t(MemoryLayout<sa_family_t>.size))
            }
        }
        guard result == 0, listen(raw, 1) == 0 else { throw KernelError("listen on", "a private door", errno: errno) }
    }

    deinit {
        // After its path was removed by hand, another daemon may listen there by now.
        if let file, FileNumber(socketAt: path) == file { unlink(path) }
    }

    var fileDescriptor: CInt { descriptor.raw }

    /// Takes the next newcomer; `nil` if there is none.
    ///
    /// - Throws: ``KernelError`` with `EMFILE` or `ENFILE` if there are no descriptors left.
    func accept() throws(KernelError) -> Descriptor? {
        let raw = retryingInterrupted { accept4(descriptor.raw, nil, nil, CInt(SOCK_CLOEXEC.rawValue)) }
        guard raw >= 0 else {
            if errno == EAGAIN || errno == ECONNABORTED { return nil }
            throw KernelError("accept on", path, errno: errno)
        }
        return Descriptor(taking: raw)
    }

    /// The path that a socket is bound to; `nil` if its address is not a path.
    private static func path(of socket: CInt) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        guard result == 0, address.sun_family == AF_UNIX else { return nil }
        // The kernel ends a path with a NUL if there is room, and without one otherwise.
        let path = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.isEmpty ? nil : path
    }

    /// Waits until no other daemon creates a socket in this folder; its turn ends with the returned value.
    ///
    /// A socket refuses connections until it listens, and another daemon that starts would take it for a stale one and
    /// replace it. Every user may lock the folder, so the wait is bounded: that user could only bring back this race,
    /// and delay the start by a second for each socket. A daemon on a busy machine may hold its turn for tens of
    /// milliseconds.
    private static func takeTurn(in folder: String) -> Descriptor? {
        guard let turn = try? Descriptor(opening: folder, O_RDONLY | O_DIRECTORY) else { return nil }
        for _ in 0..<500 {
            if retryingInterrupted({ flock(turn.raw, LOCK_EX | LOCK_NB) }) == 0 { break }
            usleep(2_000)
        }
        return turn
    }

    private static func isAbandoned(_ path: String) -> Bool {
        do throws(KernelError) {
            _ = try FrameSocket(connectingTo: path)
            return false
        } catch {
            // For a socket of another type, it is EPROTOTYPE if a process listens, and this error otherwise.
            return error.errno == ECONNREFUSED
        }
    }
}
