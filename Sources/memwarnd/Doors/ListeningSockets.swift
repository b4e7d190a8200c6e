import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The sockets of the doors: from socket units, or created here.
struct ListeningSockets {
    /// The socket of the native protocol.
    let native: ListeningSocket
    /// The inherited socket for `$MEMORY_PRESSURE_WATCH`, kept even while its door is closed.
    private let inheritedPressure: ListeningSocket?

    /// Takes the inherited sockets, or creates the native socket at `path`.
    ///
    /// - Throws: ``KernelError`` if the native socket cannot be created.
    init(inheritance: Inheritance = Inheritance(), path: String) throws(KernelError) {
        if let inherited = inheritance.native {
            native = ListeningSocket(inherited: inherited)
        } else {
            native = try ListeningSocket(path: path)
        }
        inheritedPressure = inheritance.pressure.map { ListeningSocket(inherited: $0) }
    }

    /// Only a native socket.
    init(native socket: ListeningSocket) {
        native = socket
        inheritedPressure = nil
    }

    /// The socket for `$MEMORY_PRESSURE_WATCH`, created if none was inherited; `nil` if the configuration does not want
    /// one.
    ///
    /// - Throws: ``KernelError`` if it cannot be created; the daemon can work without it, and reports the reason.
    func pressure(_ place: Settings.PressureSocket) throws(KernelError) -> ListeningSocket? {
        guard place != .off else { return nil }
        if let inheritedPressure { return inheritedPressure }
        return try ListeningSocket(path: place.path(beside: native.path), type: SOCK_STREAM)
    }
}

extension Settings.PressureSocket {
    /// The path of the socket if the native one is at `native`.
    func path(beside native: String) -> String {
        if case .path(let path) = self { return path }
        guard let slash = native.lastIndex(of: "/") else { return "pressure.sock" }
        return native[...slash] + "pressure.sock"
    }
}
