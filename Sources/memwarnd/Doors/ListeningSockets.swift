import Glibc
import MemoryPressure
import MemwarnProtocol
import Systemd

/// The sockets of the doors: those of socket units, or made here.
struct ListeningSockets {
    /// The socket of the protocol.
    let native: ListeningSocket
    /// The socket for `$MEMORY_PRESSURE_WATCH`, where there is one.
    let pressure: ListeningSocket?
    /// Why it is missing though it is wanted.
    let pressureFailure: String?

    /// What `FileDescriptorName=` of its socket unit has to say.
    static let pressureName = "pressure"

    /// The native socket alone.
    init(native: ListeningSocket) {
        self.native = native
        pressure = nil
        pressureFailure = nil
    }

    /// Takes over what was inherited, and makes the rest; the native one at `path`.
    ///
    /// Without the pressure socket the daemon can do its work, and says what is wrong with it.
    ///
    /// - Throws: ``KernelError`` if there can be no native socket, ``SystemdError`` if what was inherited cannot be looked
    ///   at.
    init(
        inherited: [InheritedDescriptor],
        path: String,
        pressure place: Configuration.PressureSocket
    ) throws {
        let native = try Self.take(SOCK_SEQPACKET, from: inherited) ?? ListeningSocket(path: path)
        var pressure: ListeningSocket?
        var failure: String?
        if place != .off {
            do {
                let named = inherited.filter { $0.name == Self.pressureName }
                pressure =
                    try Self.take(SOCK_STREAM, from: named)
                    ?? ListeningSocket(path: place.path(beside: native.path), type: SOCK_STREAM)
            } catch {
                failure = "\(error)"
            }
        }
        self.native = native
        self.pressure = pressure
        pressureFailure = failure
    }

    private static func take(
        _ type: __socket_type,
        from inherited: [InheritedDescriptor]
    ) throws(SystemdError) -> ListeningSocket? {
        for descriptor in inherited where try descriptor.isListeningUnixSocket(type: CInt(type.rawValue)) {
            return ListeningSocket(inherited: descriptor)
        }
        return nil
    }
}

extension Configuration.PressureSocket {
    /// Where the socket is, with the native one at `native`.
    func path(beside native: String) -> String {
        if case .path(let path) = self { return path }
        guard let slash = native.lastIndex(of: "/") else { return "pressure.sock" }
        return native[...slash] + "pressure.sock"
    }
}
