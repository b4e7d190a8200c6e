import CLinux
import MemwarnProtocol
import Systemd

/// Where message buses listen.
enum BusAddress {
    /// The path of a bus's socket, as far as it is known and a path; the bus need not be there.
    static func socketPath(of kind: Bus.Kind) -> String? {
        switch kind {
        case .system: variable("DBUS_SYSTEM_BUS_ADDRESS").map(path(in:)) ?? "/run/dbus/system_bus_socket"
        case .user:
            variable("DBUS_SESSION_BUS_ADDRESS").map(path(in:)) ?? variable("XDG_RUNTIME_DIR").map { $0 + "/bus" }
        }
    }

    /// The path in a D-Bus address, like `unix:path=/run/bus,guid=…`; `nil` if it is not the first thing it names, or has
    /// escapes.
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
    /// The bus that a daemon belongs to that listens at this path: the user's for a user's own instance, else the machine's.
    ///
    /// A service of the system that runs as a user of its own has no run-time directory, and is no user's instance.
    static func of(instanceAt socket: String) -> Self {
        guard let directory = getenv("XDG_RUNTIME_DIR"), directory.pointee != 0 else { return .system }
        return geteuid() != 0 || socket.hasPrefix(String(cString: directory) + "/") ? .user : .system
    }
}
