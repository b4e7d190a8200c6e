/// A request to have a command performed by hosts.
///
/// The answer is a ``CommandRecord`` for each host that is meant, as they become known, and then an ``End``; a ``Missed``
/// before it if the client was too slow to read them all. Or a ``Refusal``.
public struct Send: Equatable, Sendable {
    /// Which hosts are to perform the command.
    public enum Target: Equatable, Sendable {
        /// The hosts of this name, which is within ``TextLimit/name``, as far as the client's user may command them.
        case name(String)
        /// The host with this number, as in its ``HostRecord``.
        case id(UInt64)
    }

    /// Which hosts are to perform the command.
    public var target: Target
    /// The command as the hosts get it.
    public var command: CommandRequest
    /// How long hosts have to answer, in milliseconds; 0 takes the daemon's own.
    public var deadline: UInt32

    /// A request to have a command performed.
    public init(to target: Target, _ command: CommandRequest, deadline: UInt32 = 0) {
        self.target = target
        self.command = command
        self.deadline = deadline
    }
}

extension Send {
    /// The byte on the wire for the kind of target.
    private enum TargetKind: UInt8 {
        case name = 1
        case id = 2
    }

    init(from reader: inout FrameReader) throws(FrameError) {
        let kind: TargetKind = try reader.choice("target")
        let id: UInt64 = try reader.integer("id")
        deadline = try reader.integer("deadline")
        // A name beside an id is refused: guessing which was meant would command the wrong hosts.
        let host = try reader.text("host", within: kind == .name ? TextLimit.name : 0...0)
        target = kind == .name ? .name(host) : .id(id)
        command = try CommandRequest(from: &reader)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        let (kind, id, host): (TargetKind, UInt64, String) =
            switch target {
            case .name(let name): (.name, 0, name)
            case .id(let id): (.id, id, "")
            }
        try writer.put(kind)
        try writer.put(id)
        try writer.put(deadline)
        try writer.put(host, "host", within: kind == .name ? TextLimit.name : 0...0)
        try command.write(to: &writer)
    }
}
