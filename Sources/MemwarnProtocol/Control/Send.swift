/// A request to have a command performed by hosts.
///
/// The answer is a ``CommandRecord`` for each host that is meant, as they become known, and then an ``End``; a ``Missed``
/// before it if the client was too slow to read them all. Or a ``Refusal``.
package struct Send: FrameBody, Equatable, Sendable {
    /// Which hosts are to perform the command.
    package enum Target: Equatable, Sendable {
        /// The hosts of this name, which is within ``TextLimit/name``, as far as the client's user may command them.
        case name(String)
        /// The host with this number, as in its ``HostRecord``.
        case id(UInt64)
    }

    /// Which hosts are to perform the command.
    package var target = Target.id(0)
    /// The command as the hosts get it.
    package var command = CommandRequest()
    /// How long hosts have to answer, in milliseconds; 0 takes the daemon's own.
    package var deadline: UInt32 = 0

    /// A request to have a command performed.
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
        // A name beside an id is refused: guessing which was meant would command the wrong hosts.
        try fields.text(&host, "host", within: kind == .name ? TextLimit.name : 0...0)
        target = kind == .name ? .name(host) : .id(id)
        try command.visit(&fields)
    }
}
