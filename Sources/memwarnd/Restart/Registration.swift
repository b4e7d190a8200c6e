import CLinux
import MemwarnProtocol

/// What the daemon after this one has to know of a host, besides its connection.
///
/// Process, user and cgroup are not in it: they are read from the connection again.
struct Registration: Equatable {
    /// The host's number, which it keeps.
    var id: UInt64
    /// The door that it came in by.
    var door: HostRecord.Door
    /// What it said when it registered.
    var hello: Hello

    init(id: UInt64, door: HostRecord.Door, hello: Hello) {
        self.id = id
        self.door = door
        self.hello = hello
    }

    /// The name that the service manager keeps the host's connection under.
    var name: String { Self.name(of: id) }

    static func name(of id: UInt64) -> String { "\(prefix)\(id)" }
    /// What the names of all hosts begin with.
    static let prefix = "host-"
    /// What one of a host's descriptors takes of the variable with all names: its name, and what divides them.
    static func nameBytes(of id: UInt64) -> Int { name(of: id).utf8.count + 1 }
    /// The host that has this name; `nil` if none can have it.
    static func id(ofName name: String) -> UInt64? {
        guard name.hasPrefix(prefix), let id = UInt64(name.dropFirst(prefix.count)), self.name(of: id) == name else {
            return nil
        }
        return id
    }
    /// No record of an earlier daemon is longer, which left each in a file of its own.
    static let maximumSize = 1 + Frame.maximumSize

    /// One byte for the door, and the hello as a frame with the id for its sequence.
    var encoded: [UInt8] {
        // The hello was read from a frame, or cut to what fits one.
        Frame(sequence: id, message: .hello(hello)).withPacket { [door.rawValue] + Array($0) }
    }

    /// Reads what ``encoded`` wrote; `nil` for anything else.
    init?(decoding bytes: [UInt8]) {
        guard let first = bytes.first, let door = HostRecord.Door(rawValue: first),
            let frame = bytes.withUnsafeBytes({ bytes in
                try? Frame(decoding: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
            }),
            case .hello(let hello) = frame.message, DaemonState.numbers.contains(frame.sequence), frame.sequence > 0
        else { return nil }
        self.init(id: frame.sequence, door: door, hello: hello)
    }
}

extension HostRecord.Door {
    /// The type of the connections that come in by it.
    var socketType: CInt {
        switch self {
        case .native: CInt(SOCK_SEQPACKET.rawValue)
        case .pressure: CInt(SOCK_STREAM.rawValue)
        }
    }
}
