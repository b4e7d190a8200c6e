/// A request that hosts perform a command.
///
/// The answer is a ``CommandRecord`` for each addressed host as its outcome becomes known, and then an ``End``,
/// preceded by a ``Missed`` if the client was too slow to read all records; or a ``Refusal``.
package struct Send: FrameBody, Equatable, Sendable {
    /// The hosts that are to perform the command.
    package enum Target: Equatable, Sendable {
        /// The hosts with this name, within ``TextLimit/name``, that the client's user may command.
        case name(String)
        /// The host with this number, as in its ``HostRecord``.
        case id(UInt64)
    }

    /// The hosts that are to perform the command.
    package var target = Target.id(0)
    /// The command that the hosts receive.
    package var command = CommandRequest()
    /// The deadline for answers, in milliseconds; 0 for the daemon's default.
    package var deadline: UInt32 = 0

    /// Creates a request that hosts perform a command.
    package init(to target: Target, _ command: CommandRequest, deadline: UInt32 = 0) {
        self.target = target
        self.command = command
        self.deadline = deadline
    }

    package init() {}

    /// The byte on the wire for the kind of target.
    private enum TargetKind: UInt8 {
        case name = 1
        case id = 2
    }

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        var (kind, id, host): (TargetKind, UInt64, String) =
            switch target {
            case .name(let name): (.name, 0, name)
            case .id(let id): (.id, id, "")
            }
        try fields.choice(&kind, "target")
        try fields.integer(&id, "id")
        try fields.integer(&deadline, "deadline", in: .milliseconds)
        // A frame with both a name and an id is refused: a guess could command the wrong hosts.
        try fields.text(&host, "host", within: kind == .name ? TextLimit.name : 0...0)
        target = kind == .name ? .name(host) : .id(id)
        try command.visit(&fields)
    }
}
