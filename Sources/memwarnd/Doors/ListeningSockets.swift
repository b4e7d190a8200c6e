import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The sockets of the doors: those of socket units, or made here.
struct ListeningSockets {
    /// The socket of the protocol.
    let native: ListeningSocket
    /// The socket for `$MEMORY_PRESSURE_WATCH`, where there is one.
    let pressure: ListeningSocket?
    /// Why it is missing though it is wanted.
    let pressureFailure: String?

    /// Takes over what was inherited, and makes the rest; the native one at `path`.
    ///
    /// Without the pressure socket the daemon can do its work, and says what is wrong with it.
    ///
    /// - Throws: ``KernelError`` if there can be no native socket.
    init(
        inheritance: Inheritance = Inheritance(),
        path: String,
        pressure place: Settings.PressureSocket
    ) throws(KernelError) {
        native = try Self.socket(inheritance.native, path, SOCK_SEQPACKET)
        var pressure: ListeningSocket?
        var failure: String?
        if place != .off {
            do throws(KernelError) {
                pressure = try Self.socket(inheritance.pressure, place.path(beside: native.path), SOCK_STREAM)
            } catch {
                failure = "\(error)"
            }
        }
        self.pressure = pressure
        pressureFailure = failure
    }

    /// Nothing but a native socket.
    init(native socket: ListeningSocket) {
        native = socket
        pressure = nil
        pressureFailure = nil
    }

    private static func socket(
        _ inherited: InheritedDescriptor?,
        _ path: String,
        _ type: __socket_type
    ) throws(KernelError) -> ListeningSocket {
        if let inherited { return ListeningSocket(inherited: inherited) }
        return try ListeningSocket(path: path, type: type)
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
