import CLinux
import Systemd

/// What the service manager handed over, sorted by what it is: sockets to listen on, and what a daemon before this one
/// left with it.
struct Inheritance {
    /// A host's connection and registration.
    struct KeptHost {
        let registration: Registration
        /// Whoever takes it closes it.
        let connection: CInt
    }

    /// The sockets that listen, in the order they came in.
    private(set) var listening: [InheritedDescriptor] = []
    /// The hosts, in order of their ids.
    private(set) var hosts: [KeptHost] = []
    /// The state, and the file it is in.
    private(set) var state: (content: DaemonState, file: MemoryFile)?
    /// The names of what could not be understood; it is closed, and the manager may forget it.
    private(set) var useless: [String] = []

    /// Nothing.
    init() {}

    /// Sorts descriptors, all of which it takes.
    init(_ descriptors: [InheritedDescriptor]) {
        let stored = descriptors.filter { !Self.listens($0) }
        listening = descriptors.filter(Self.listens)
        for (name, descriptors) in Dictionary(grouping: stored, by: \.name) {
            if name == DaemonState.name {
                state = Self.state(descriptors)
                if state == nil { useless.append(name) }
            } else if let host = Self.host(descriptors, name) {
                hosts.append(host)
            } else {
                useless.append(name)
            }
        }
        hosts.sort { $0.registration.id < $1.registration.id }
        useless.sort()
    }

    /// The native socket: the one that is called so, or the only one there is.
    var native: InheritedDescriptor? {
        let sockets = listening.filter { (try? $0.isListeningUnixSocket(type: CInt(SOCK_SEQPACKET.rawValue))) == true }
        return sockets.first { $0.name == "native" } ?? sockets.first
    }

    /// The socket for `$MEMORY_PRESSURE_WATCH`, which has to be called so.
    var pressure: InheritedDescriptor? {
        listening.first {
            $0.name == "pressure" && (try? $0.isListeningUnixSocket(type: CInt(SOCK_STREAM.rawValue))) == true
        }
    }

    private static func listens(_ descriptor: InheritedDescriptor) -> Bool {
        [SOCK_SEQPACKET, SOCK_STREAM].contains {
            (try? descriptor.isListeningUnixSocket(type: CInt($0.rawValue))) == true
        }
    }

    private static func state(_ descriptors: [InheritedDescriptor]) -> (content: DaemonState, file: MemoryFile)? {
        let files = descriptors.map { MemoryFile(adopting: $0.fd) }
        guard files.count == 1, let bytes = try? files[0].read(limit: DaemonState.maximumSize),
            let content = DaemonState(decoding: bytes)
        else { return nil }
        return (content, files[0])
    }

    /// The host that these two are; closes what it does not return.
    private static func host(_ descriptors: [InheritedDescriptor], _ name: String) -> KeptHost? {
        let records = descriptors.filter { (try? $0.isFile()) == true }
        let connections = descriptors.filter { !records.contains($0) }
        let files = records.map { MemoryFile(adopting: $0.fd) }
        guard files.count == 1, connections.count == 1,
            let bytes = try? files[0].read(limit: Registration.maximumSize),
            let registration = Registration(decoding: bytes), registration.name == name,
            (try? connections[0].isUnixConnection(type: registration.door.socketType)) == true
        else {
            for connection in connections { close(connection.fd) }
            return nil
        }
        return KeptHost(registration: registration, connection: connections[0].fd)
    }
}
