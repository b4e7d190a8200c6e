internal import CLinux
internal import CSystemd

extension Bus {
    /// The result of a request for a name.
    public enum NameResult: Equatable, Sendable {
        /// This connection owns the name until it ends.
        case acquired
        /// The name belongs to another connection.
        case taken
        /// The bus refused it (`EACCES` if its policy does not allow it), or the connection ended before it answered.
        case failed(SystemdError)
    }

    /// Requests a well-known name, and calls `handler` once with the result.
    ///
    /// The request does not queue for a name that has another owner, does not replace the owner, and does not allow
    /// replacement. The handler may drop the bus; it is kept as long as the bus. See sd_bus_request_name_async(3).
    ///
    /// - Throws: ``SystemdError``: `EINVAL` if it is not a well-known name, `ENOTCONN` if the connection has ended,
    ///   `ENOBUFS` if too much waits to be sent. The handler is not called then.
    public func requestName(_ name: String, handler: @escaping (NameResult) -> Void) throws(SystemdError) {
        let operation = "own the name \(name) on the bus"
        let answered = { (reply: OpaquePointer) in handler(Self.result(of: reply, operation)) }
        try add(operation, answered) { slot, call, userdata in
            sd_bus_request_name_async(bus, slot, name, 0, call, userdata)
        }
    }

    private static func result(of reply: OpaquePointer, _ operation: String) -> NameResult {
        if sd_bus_message_is_method_error(reply, nil) > 0 {
            return .failed(SystemdError(operation, errno: sd_bus_message_get_errno(reply)))
        }
        var code: UInt32 = 0
        let read = sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &code)
        // The numbers of the D-Bus specification: now the owner, queued (not requested), owned by another, already the
        // owner.
        return switch code {
        case _ where read < 0: .failed(SystemdError(operation, errno: -read))
        case 1, 4: .acquired
        case 3: .taken
        default: .failed(SystemdError(operation, errno: EBADMSG))
        }
    }
}
