import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// What the service manager keeps for the daemon after this one: the hosts' connections, their registrations, the state.
///
/// Nothing here blocks, and nothing fails: a host that cannot be kept has to register again. Without a service manager
/// nothing is kept. While nothing waits to be stored or removed it costs no wake-ups.
final class Vault {
    /// Called with a sentence about what cannot be kept, once until something can again.
    var complain: (String) -> Void = { _ in }

    private let notifier: ServiceNotifier
    private let isOpen: Bool
    private var policy: StorePolicy
    private var timer: TimerSource?
    /// The file that the state is in, once there is one, and what it says.
    private var state: (content: DaemonState, file: MemoryFile)?
    /// The file that the registrations are in, once there is one.
    private var registrations: RegistrationFile?
    /// The connections of the hosts that are here, which are stored or will be.
    private var connections: [HostID: CInt] = [:]
    /// The hosts that an earlier daemon stored and that are not here yet, and whether they have files of their own.
    private var inherited: [HostID: Bool] = [:]
    /// The hosts that are here and have files of their own in the store, which do not hang up with the connection.
    private var ownFiles: Set<HostID> = []
    private var complaints = Allowance.complaints(at: .now)
    private var hasComplained = false

    /// How many bytes the names may have, together.
    ///
    /// They come back in one environment variable, and the kernel starts no program with one of more than 128 KiB
    /// (`MAX_ARG_STRLEN`): one host too many, and the daemon would never start again. The rest is for the names of
    /// sockets and files, and of descriptors that the manager does not let go of yet.
    static let nameLimit = 120 << 10

    /// Stores hosts that come back by themselves after `patience`.
    init(
        _ notifier: ServiceNotifier,
        isOpen: Bool,
        on loop: EventLoop,
        patience: Duration = StorePolicy.patience,
        nameLimit: Int = Vault.nameLimit
    ) throws(SystemdError) {
        self.notifier = notifier
        self.isOpen = isOpen
        policy = StorePolicy(limit: nameLimit, patience: patience, at: .now)
        timer = try loop.timer(accuracy: .milliseconds(100), priority: .idle) { self.feed(.elapsed) }
    }

    /// Goes on from what was inherited; what is of no use is forgotten.
    func adopt(_ inheritance: Inheritance) {
        guard isOpen else { return }
        for useless in inheritance.useless { forget(useless) }
        state = inheritance.state
        registrations = inheritance.registrations
        for host in inheritance.hosts { inherited[host.registration.id] = host.hasOwnFile }
        // Before any host, which is of no use without it.
        attempt("hosts register anew after a restart") { () throws(SystemdError) in _ = try registrationFile() }
    }

    /// Has a host of a user's kept, which it may be already; its connection stays the caller's.
    func keep(_ registration: @autoclosure () -> Registration, uid: UInt32, connection: CInt) {
        guard isOpen else { return }
        let registration = registration()
        let id = registration.id
        var host = StorePolicy.Host(id: id, uid: uid, nameBytes: Registration.nameBytes(of: id))
        if let hasOwnFile = inherited.removeValue(forKey: id) {
            connections[id] = connection
            if hasOwnFile {
                ownFiles.insert(id)
                host.nameBytes *= 2
            }
            return feed(.inherited(host))
        }
        attempt("hosts that register now register anew after a restart") { () throws(SystemdError) in
            try registrationFile().write(registration)
            connections[id] = connection
            feed(.joined(host, comesBack: registration.door == .native))
        }
    }

    /// Gives up the room of hosts that have left.
    func shrink() {
        policy.shrink()
        connections.shrink()
        registrations?.shrink()
    }

    /// Lets go of a host that is here, and ends its connection, which stays the caller's to close.
    func release(_ id: HostID) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        // The manager's duplicate would keep it open for the peer. So the manager sees that it ends, and lets go of it.
        shutdown(connection, CInt(SHUT_RDWR))
        // Before its room is free: the file is there until it is removed.
        if ownFiles.remove(id) != nil { forget(Inheritance.Useless(name: Registration.name(of: id), count: 2)) }
        feed(.left(id))
        registrations?.remove(id)
    }

    /// Has the manager close the connection of a host that an earlier daemon stored and that does not come to be here.
    func dismiss(_ id: HostID) {
        guard let hasOwnFile = inherited.removeValue(forKey: id) else { return }
        registrations?.remove(id)
        forget(Inheritance.Useless(name: Registration.name(of: id), count: hasOwnFile ? 2 : 1))
    }

    /// Keeps the state, if it is another than before.
    ///
    /// Call it after warnings are sent: where memory is short, to write may take a while.
    func save(_ content: @autoclosure () -> DaemonState) {
        guard isOpen else { return }
        let content = content()
        guard content != state?.content else { return }
        attempt("a restart would go on from an older state") { () throws(SystemdError) in
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

    /// The file for the registrations, which the manager has.
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
            let isStored = attempt("it registers anew after a restart") { () throws(SystemdError) in
                try notifier.store(name: Registration.name(of: id), descriptors: [connection])
                hasComplained = false
            }
            if !isStored { feed(.left(id)) }
        case .remove(let name):
            // Should the manager not listen, the next daemon removes it.
            try? notifier.removeStored(name: name)
        case .noRoom:
            fail("there is room for no more hosts; those beyond register anew after a restart, if they can")
        }
    }

    private func forget(_ useless: Inheritance.Useless) {
        switch useless.name {
        // At once, since what takes its place is stored under the same name.
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
