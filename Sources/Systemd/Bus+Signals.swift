internal import CLinux
internal import CSystemd

extension Bus {
    /// Exports an object whose interface has one signal, `LowMemoryWarning` with a byte.
    ///
    /// The object exists as long as the bus, and answers introspection, `Peer` and `Properties`; it has no methods of
    /// its own. Sends nothing to the bus. See sd_bus_add_object_vtable(3).
    ///
    /// - Throws: ``SystemdError``: `EINVAL` if path or interface is not well-formed, `EEXIST` if the object exists
    ///   already.
    public func addLowMemoryObject(path: String, interface: String) throws(SystemdError) {
        let operation = "add \(interface) at \(path) to the bus"
        var slot: OpaquePointer?
        try SystemdError.check(
            sd_bus_add_object_vtable(bus, &slot, path, interface, memwarnd_low_memory_vtable(), nil),
            operation
        )
        guard let slot else { throw SystemdError(operation, errno: ENOMEM) }
        keep(slot)
    }

    /// Sends a signal with one byte to all listeners.
    ///
    /// A signal that the bus does not accept at once, or that is sent before the connection is established, is queued.
    /// See sd_bus_send(3).
    ///
    /// - Throws: ``SystemdError``: `ENOTCONN` or `ECONNRESET` if the connection has ended, `ENOBUFS` if too much waits
    ///   already, `EINVAL` if a name is not well-formed.
    public func emitSignal(path: String, interface: String, member: String, byte: UInt8) throws(SystemdError) {
        let operation = "send the signal \(interface).\(member) to the bus"
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        try SystemdError.check(sd_bus_message_new_signal(bus, &message, path, interface, member), operation)
        var byte = byte
        try SystemdError.check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "y")), &byte), operation)
        try SystemdError.check(sd_bus_send(bus, message, nil), operation)
    }
}
