internal import CLinux
internal import CSystemd

/// A connection to a D-Bus message bus, served by an ``EventLoop``; dropping it closes the connection.
///
/// No call waits for the bus. The connection is made, and messages are sent, in the background; messages that are sent
/// before the connection is established are queued. A connection that has ended cannot be used again: drop it, and make
/// another later.
///
/// It belongs to the loop's thread. Messages that are queued when it is dropped, or when the loop ends, are lost.
public final class Bus {
    /// Which message bus.
    public enum Kind: Sendable {
        /// The system bus: `$DBUS_SYSTEM_BUS_ADDRESS`, or its usual path.
        case system
        /// The session bus of the user: `$DBUS_SESSION_BUS_ADDRESS`, or `bus` in `$XDG_RUNTIME_DIR`.
        case user

        fileprivate var name: String {
            switch self {
            case .system: "system"
            case .user: "user"
            }
        }
    }

    let bus: OpaquePointer
    /// The registrations on the bus, kept as long as the bus, and their handlers.
    private var slots: [OpaquePointer] = []
    private var own: [AnyHandler] = []
    private let handlers: Handlers

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - kind: Which bus.
    ///   - loop: Serves the connection, at normal priority.
    ///   - disconnected: Called once when the connection has ended: the bus has stopped, or has refused the client. It
    ///     may drop the bus. It is kept as long as the bus, and until the loop has ended.
    /// - Throws: ``SystemdError`` if there is no such bus (`ENOENT`, `ECONNREFUSED`, `ENOMEDIUM`), its backlog is full
    ///   (`EAGAIN`), or no descriptor or memory is left.
    public convenience init(
        _ kind: Kind,
        on loop: EventLoop,
        disconnected: @escaping () -> Void
    ) throws(SystemdError) {
        try self.init("connect to the \(kind.name) bus", on: loop, disconnected) { bus in
            switch kind {
            case .system: sd_bus_open_system(bus)
            case .user: sd_bus_open_user(bus)
            }
        }
    }

    /// Begins to connect to the bus at a D-Bus address, like `unix:path=/run/bus`.
    convenience init(
        address: String,
        on loop: EventLoop,
        disconnected: @escaping () -> Void
    ) throws(SystemdError) {
        try self.init("connect to the bus at \(address)", on: loop, disconnected) { bus in
            var result = sd_bus_new(bus)
            if result >= 0 { result = sd_bus_set_address(bus.pointee, address) }
            if result >= 0 { result = sd_bus_set_bus_client(bus.pointee, 1) }
            return result >= 0 ? sd_bus_start(bus.pointee) : result
        }
    }

    private init(
        _ operation: String,
        on loop: EventLoop,
        _ disconnected: @escaping () -> Void,
        open: (UnsafeMutablePointer<OpaquePointer?>) -> CInt
    ) throws(SystemdError) {
        var opened: OpaquePointer?
        let result = open(&opened)
        guard result >= 0, let opened else {
            sd_bus_close_unref(opened)
            throw SystemdError(operation, errno: -result)
        }
        bus = opened
        handlers = loop.handlers
        // At the end of the loop, sd-bus would otherwise block until the bus has accepted all queued messages.
        try SystemdError.check(sd_bus_set_close_on_exit(bus, 0), operation)
        try SystemdError.check(sd_bus_attach_event(bus, loop.event, CInt(SD_EVENT_PRIORITY_NORMAL)), operation)
        // libsystemd sends this signal to itself, without a request to the bus.
        let told = { (_: OpaquePointer) in disconnected() }
        try add(operation, told) { slot, call, userdata in
            sd_bus_match_signal(
                bus,
                slot,
                nil,
                "/org/freedesktop/DBus/Local",
                "org.freedesktop.DBus.Local",
                "Disconnected",
                call,
                userdata
            )
        }
    }

    deinit {
        // Each slot holds a reference to the bus.
        for slot in slots { sd_bus_slot_unref(slot) }
        sd_bus_close_unref(bus)
        for handler in own { handlers.remove(handler) }
    }

    /// Makes a registration by calling `register`, and keeps its handler as long as the bus lives.
    ///
    /// `register` receives the address for the slot, the callback and its `userdata`.
    func add(
        _ operation: @autoclosure () -> String,
        _ body: @escaping (OpaquePointer) -> Void,
        _ register: (UnsafeMutablePointer<OpaquePointer?>, sd_bus_message_handler_t, UnsafeMutableRawPointer) -> CInt
    ) throws(SystemdError) {
        let handler = Handler(body)
        var added: OpaquePointer?
        let result = register(
            &added,
            { message, userdata, _ in
                if let message { Handler<OpaquePointer>.call(userdata, message) }
                return 0
            },
            handler.userdata
        )
        guard result >= 0, let slot = added else { throw SystemdError(operation(), errno: -result) }
        handlers.add(handler)
        own.append(handler)
        slots.append(slot)
    }

    /// Keeps a registration that has no handler.
    func keep(_ slot: OpaquePointer) {
        slots.append(slot)
    }
}
