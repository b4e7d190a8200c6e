import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The descriptors that the service manager keeps for the next daemon: the hosts' connections, their registrations, the
/// state.
///
/// No call blocks or fails: a host that cannot be kept has to register again. Without a service manager nothing is
/// kept. While no descriptor waits to be stored or removed, it costs no wake-ups.
final class Vault {
    /// Called with a sentence if something cannot be kept; not again until storing has succeeded.
    var complain: (String) -> Void = { _ in }

    private let notifier: ServiceNotifier
    private let isOpen: Bool
    private var policy: StorePolicy
    private var timer: TimerSource?
    /// The present state and its file, once there is one.
    private var state: (content: DaemonState, file: MemoryFile)?
    /// The file of registrations, once there is one.
    private var registrations: RegistrationFile?
    /// The connections of present hosts, which are stored or will be.
    private var connections: [HostID: CInt] = [:]
    /// Hosts that an earlier daemon stored and that are not registered yet, and whether they have files of their own.
    private var inherited: [HostID: Bool] = [:]
    /// Present hosts with files of their own in the store; a file does not hang up when the connection does.
    private var ownFiles: Set<HostID> = []
    private var complaints = Allowance.complaints
    private var hasComplained = false

    /// The maximum number of bytes of all names together.
    ///
    /// They come back in one environment variable, and the kernel starts no program with a variable of more than 128
    /// KiB (`MAX_ARG_STRLEN`): with one host too many, the daemon would never start again. The remaining bytes are for
    /// the names of sockets and files, and of descriptors that the manager has not released yet.
    static let nameLimit = 120 << 10

    /// Stores hosts that can reconnect by themselves after `patience`.
    init(
        _ notifier: ServiceNotifier,
        isOpen: Bool,
        on loop: EventLoop,
        patience: Duration = StorePolicy.patience,
        nameLimit: Int = Vault.nameLimit
    ) throws(SystemdError) {
        self.notifier = notifier
        self.isOpen = isOpen
        policy = StorePolicy(limit: nameLimit, patience: patience)
        timer = try loop.timer(accuracy: .milliseconds(100), priority: .idle) { self.feed(.elapsed) }
    }

    /// Continues from the inherited descriptors; useless ones are removed.
    func adopt(_ inheritance: Inheritance) {
        guard isOpen else { return }
        for useless in inheritance.useless { forget(useless) }
        state = inheritance.state
        registrations = inheritance.registrations
        for host in inheritance.hosts { inherited[host.registration.id] = host.hasOwnFile }
        // Stored before any host, since hosts are useless without it.
        attempt("hosts register again after a restart") { () throws(SystemdError) in _ = try registrationFile() }
    }

    /// Keeps a user's host, which may be stored already; its connection stays the caller's.
    func keep(_ registration: @autoclosure () -> HostRegistration, uid: UInt32, connection: CInt) {
        guard isOpen else { return }
        let registration = registration()
        let id = registration.id
        var host = StorePolicy.Host(id: id, uid: uid, nameBytes: HostRegistration.nameBytes(of: id))
        if let hasOwnFile = inherited.removeValue(forKey: id) {
            connections[id] = connection
            if hasOwnFile {
                ownFiles.insert(id)
                host.nameBytes *= 2
            }
            return feed(.inherited(host))
        }
        attempt("hosts that register now register again after a restart") { () throws(SystemdError) in
            try registrationFile().write(registration)
            connections[id] = connection
            feed(.joined(host, comesBack: registration.door == .native))
        }
    }

    /// Releases memory of hosts that have left.
    func shrink() {
        policy.shrink()
        connections.shrink()
        registrations?.shrink()
    }

    /// Ends the connection of a present host and stops keeping it; the caller still has to close the connection.
    func release(_ id: HostID) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        // The manager's duplicate would keep it open for the peer. After shutdown the manager sees the end, and drops
        // it.
        shutdown(connection, CInt(SHUT_RDWR))
        // Done before its room is freed: the file stays in the store until it is removed.
        if ownFiles.remove(id) != nil { forget(Inheritance.Useless(name: HostRegistration.name(of: id), count: 2)) }
        feed(.left(id))
        registrations?.remove(id)
    }

    /// Makes the manager close the connection of a host that an earlier daemon stored and that cannot be taken over.
    func dismiss(_ id: HostID) {
        guard let hasOwnFile = inherited.removeValue(forKey: id) else { return }
        registrations?.remove(id)
        forget(Inheritance.Useless(name: HostRegistration.name(of: id), count: hasOwnFile ? 2 : 1))
    }

    /// Stores the state if it has changed.
    ///
    /// Call it after warnings are sent: if memory is short, writing may take a while.
    func save(_ content: @autoclosure () -> DaemonState) {
        guard isOpen else { return }
        let content = content()
        guard content != state?.content else { return }
        attempt("a restart would continue from an older state") { () throws(SystemdError) in
            if let state {
                try state.file.write(content.encoded)
                self.state = (content, state.file)
            } else {
                let file = try MemoryFile(name: DaemonState.name)
                try file.write(content.encoded)
                try notifier.store(name: DaemonState.name, descriptors: [file.fd])
                state = (content, file)
            }
        }
    }

    /// The file of registrations, stored with the manager.
    private func registrationFile() throws(SystemdError) -> RegistrationFile {
        if let registrations { return registrations }
        let file = try RegistrationFile()
        try notifier.store(name: RegistrationFile.name, descriptors: [file.fd])
        registrations = file
        return file
    }

    private func feed(_ input: StorePolicy.Input) {
        var effects: [StorePolicy.Effect] = []
        policy.handle(input, at: .now, into: &effects)
        for effect in effects { perform(effect) }
        if let due = policy.due {
            timer?.arm(after: max(.zero, MonotonicInstant.now.duration(to: due)))
        } else {
            timer?.disarm()
        }
    }

    private func perform(_ effect: StorePolicy.Effect) {
        switch effect {
        case .store(let id):
            guard let connection = connections[id] else { return }
            let isStored = attempt("the host registers again after a restart") { () throws(SystemdError) in
                try notifier.store(name: HostRegistration.name(of: id), descriptors: [connection])
                hasComplained = false
            }
            if !isStored { feed(.left(id)) }
        case .remove(let name):
            // If the manager does not listen, the next daemon removes it.
            try? notifier.removeStored(name: name)
        case .noRoom:
            fail("there is no room for more hosts; others register again after a restart, if they can")
        }
    }

    private func forget(_ useless: Inheritance.Useless) {
        switch useless.name {
        // Removed at once, since its replacement is stored under the same name.
        case DaemonState.name, RegistrationFile.name: try? notifier.removeStored(name: useless.name)
        // The manager cannot store anything under an invalid name.
        case let name where ServiceNotifier.isStoreName(name):
            feed(.useless(name: name, nameBytes: useless.count * (name.utf8.count + 1)))
        default: break
        }
    }

    @discardableResult
    private func attempt(_ consequence: String, _ body: () throws(SystemdError) -> Void) -> Bool {
        do throws(SystemdError) {
            try body()
            return true
        } catch {
            fail("\(error); \(consequence)")
            return false
        }
    }

    private func fail(_ problem: String) {
        guard !hasComplained, complaints.take(at: .now) else { return }
        hasComplained = true
        complain(problem)
    }
}
