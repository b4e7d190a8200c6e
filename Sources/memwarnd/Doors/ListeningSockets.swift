import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The sockets of the doors: those of socket units, or made here.
struct ListeningSockets {
    /// The socket of the protocol.
    let native: ListeningSocket
    /// The socket for `$MEMORY_PRESSURE_WATCH` that was inherited, held whether its door is open or not.
    private let inheritedPressure: ListeningSocket?

    /// Takes over what was inherited, or makes the native socket at `path`.
    ///
    /// - Throws: ``KernelError`` if there can be no native socket.
    init(inheritance: Inheritance = Inheritance(), path: String) throws(KernelError) {
        if let inherited = inheritance.native {
            native = ListeningSocket(inherited: inherited)
        } else {
            native = try ListeningSocket(path: path)
        }
        inheritedPressure = inheritance.pressure.map { ListeningSocket(inherited: $0) }
    }

    /// Nothing but a native socket.
    init(native socket: ListeningSocket) {
        native = socket
        inheritedPressure = nil
    }

    /// The socket for `$MEMORY_PRESSURE_WATCH`, which is made if none was inherited; `nil` if there is to be none.
    ///
    /// - Throws: ``KernelError`` if it cannot be made: without it the daemon can do its work, and says what is wrong with it.
    func pressure(_ place: Settings.PressureSocket) throws(KernelError) -> ListeningSocket? {
        guard place != .off else { return nil }
        if let inheritedPressure { return inheritedPressure }
        return try ListeningSocket(path: place.path(beside: native.path), type: SOCK_STREAM)
    }
}

extension Settings.PressureSocket {
    /// Where the socket is, with the native one at `native`.
    func path(beside native: String) -> String {
        if case .path(let path) = self { return path }
        guard let slash = native.lastIndex(of: "/") else { return "pressure.sock" }
        return native[...slash] + "pressure.sock"
    }
}
