import CLinux
import Systemd
import WarningPolicy

/// The descriptors from the service manager, sorted by their kind: listening sockets, and those that an earlier daemon
/// stored.
struct Inheritance {
    /// A host's connection and registration.
    struct KeptHost {
        let registration: HostRegistration
        /// Its new owner closes it.
        let connection: CInt
        /// Whether its registration is in a separate file, which the manager keeps under the host's name; daemons
        /// before ``RegistrationFile`` stored it that way.
        let hasOwnFile: Bool
    }

    /// A name under which the manager keeps useless descriptors.
    struct Useless {
        let name: String
        /// The number of descriptors.
        let count: Int
    }

    /// The listening sockets, in the order of arrival.
    private(set) var listening: [InheritedDescriptor] = []
    /// The hosts, in order of their ids.
    private(set) var hosts: [KeptHost] = []
    /// The state, and the file that contains it.
    private(set) var state: (content: DaemonState, file: MemoryFile)?
    /// The file with the hosts' registrations; it contains no other hosts.
    private(set) var registrations: RegistrationFile?
    /// Unknown descriptors, in order of their names: they are closed, their connections have ended, and the manager can
    /// remove them.
    private(set) var useless: [Useless] = []

    /// No descriptors.
    init() {}

    /// Sorts descriptors and takes ownership of all of them.
    init(_ descriptors: [InheritedDescriptor]) {
        listening = descriptors.filter(Self.listens)
        let stored = Dictionary(grouping: descriptors.filter { !Self.listens($0) }, by: { $0.name })
        // Comes first, since hosts are looked up in it.
        registrations = stored[RegistrationFile.name].flatMap(Self.registrations)
        for (name, descriptors) in stored {
            let isOfUse: Bool
            switch name {
            case RegistrationFile.name: isOfUse = registrations != nil
            case DaemonState.name:
                state = Self.state(descriptors)
                isOfUse = state != nil
            default:
                let host = host(descriptors, name)
                if let host { hosts.append(host) }
                isOfUse = host != nil
            }
            if !isOfUse { useless.append(Useless(name: name, count: descriptors.count)) }
        }
        hosts = hosts.ordered { $0.registration.id < $1.registration.id }
        useless = useless.ordered { $0.name < $1.name }
        registrations?.keepOnly(Set(hosts.lazy.filter { !$0.hasOwnFile }.map { $0.registration.id }))
    }

    /// The highest number that any stored host has had.
    var lastHost: UInt64 {
        max(state?.content.lastHost ?? 0, registrations?.lastHost ?? 0, hosts.last?.registration.id ?? 0)
    }

    /// The native socket: the socket with that name, or the only one.
    var native: InheritedDescriptor? {
        let sockets = listening.filter { (try? $0.isListeningUnixSocket(type: CInt(SOCK_SEQPACKET.rawValue))) == true }
        return sockets.first { $0.name == "native" } ?? sockets.first
    }

    /// The socket for `$MEMORY_PRESSURE_WATCH`, which needs that name.
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

    private static func registrations(_ descriptors: [InheritedDescriptor]) -> RegistrationFile? {
        guard descriptors.count == 1, (try? descriptors[0].isFile()) == true else {
            for descriptor in descriptors { close(descriptor.fd) }
            return nil
        }
        return RegistrationFile(adopting: descriptors[0].fd)
    }

    /// The host of these descriptors; closes the descriptors, and ends the connection, if they are not a host.
    private func host(_ descriptors: [InheritedDescriptor], _ name: String) -> KeptHost? {
        let records = descriptors.filter { (try? $0.isFile()) == true }
        let connections = descriptors.filter { !records.contains($0) }
        let files = records.map { MemoryFile(adopting: $0.fd) }
        guard connections.count == 1, let registration = registration(name, files), registration.name == name,
            (try? connections[0].isUnixConnection(type: registration.door.socketType)) == true
        else {
            for connection in connections {
                // The manager's duplicate would keep it open until its name is removed, at ten names each second.
                shutdown(connection.fd, CInt(SHUT_RDWR))
                close(connection.fd)
            }
            return nil
        }
        return KeptHost(registration: registration, connection: connections[0].fd, hasOwnFile: !files.isEmpty)
    }

    /// The registration of the host with this name: from its own file, if it has one.
    private func registration(_ name: String, _ files: [MemoryFile]) -> HostRegistration? {
        switch files.count {
        case 0: HostRegistration.id(ofName: name).flatMap { registrations?.registration(of: $0) }
        case 1: (try? files[0].read(limit: HostRegistration.maximumSize)).flatMap { HostRegistration(decoding: $0) }
        default: nil
        }
    }
}
