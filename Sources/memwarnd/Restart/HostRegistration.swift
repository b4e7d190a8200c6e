import CLinux
import MemwarnProtocol

/// The state of a host that the next daemon needs, besides its connection.
///
/// It omits process, user and cgroup, which are read from the connection again.
struct HostRegistration: Equatable {
    /// The host's number, which it keeps.
    var id: UInt64
    /// The door of its connection.
    var door: HostRecord.Door
    /// Its hello.
    var hello: Hello

    init(id: UInt64, door: HostRecord.Door, hello: Hello) {
        self.id = id
        self.door = door
        self.hello = hello
    }

    /// The name under which the service manager keeps the host's connection.
    var name: String { Self.name(of: id) }

    static func name(of id: UInt64) -> String { "\(prefix)\(id)" }
    /// The common start of the names of all hosts.
    static let prefix = "host-"
    /// The bytes that one of a host's descriptors needs in the variable with all names: its name and a separator.
    static func nameBytes(of id: UInt64) -> Int { name(of: id).utf8.count + 1 }
    /// The host that has this name; `nil` if it is not the name of a host.
    static func id(ofName name: String) -> UInt64? {
        guard name.hasPrefix(prefix), let id = UInt64(name.dropFirst(prefix.count)), self.name(of: id) == name else {
            return nil
        }
        return id
    }
    /// The maximum size of a record of an earlier daemon, which stored each in a separate file.
    static let maximumSize = 1 + Frame.maximumSize

    /// One byte for the door, and the hello as a frame with the id as its sequence.
    var encoded: [UInt8] {
        // The hello was read from a frame, or cut to fit one.
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
    /// The type of the connections of this door.
    var socketType: CInt {
        switch self {
        case .native: CInt(SOCK_SEQPACKET.rawValue)
        case .pressure: CInt(SOCK_STREAM.rawValue)
        }
    }
}
