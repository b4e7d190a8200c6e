import CLinux
import MemwarnProtocol
import Systemd

/// Where message buses listen.
enum BusAddress {
    /// The path of a bus's socket, if its address is set and is a path; the bus need not exist.
    static func socketPath(of kind: Bus.Kind) -> String? {
        switch kind {
        case .system: variable("DBUS_SYSTEM_BUS_ADDRESS").map(path(in:)) ?? "/run/dbus/system_bus_socket"
        case .user:
            variable("DBUS_SESSION_BUS_ADDRESS").map(path(in:)) ?? variable("XDG_RUNTIME_DIR").map { $0 + "/bus" }
        }
    }

    /// The path in a D-Bus address, like `unix:path=/run/bus,guid=…`; `nil` if it is not the address's first part, or
    /// has escapes.
    static func path(in address: String) -> String? {
        let first = address.prefix { $0 != ";" && $0 != "," }
        guard first.hasPrefix("unix:path=/"), !first.contains("%") else { return nil }
        return String(first.dropFirst("unix:path=".count))
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}

extension Bus.Kind {
    /// The bus for a daemon that listens at this path: the session bus for a user's own instance, otherwise the system
    /// bus.
    ///
    /// A system service that runs as a user of its own has no run-time directory, and is not a user's instance.
    static func of(instanceAt socket: String) -> Self {
        guard let directory = getenv("XDG_RUNTIME_DIR"), directory.pointee != 0 else { return .system }
        return geteuid() != 0 || socket.hasPrefix(String(cString: directory) + "/") ? .user : .system
    }
}
