import CLinux
import Systemd

/// What the service manager keeps for the daemon after this one: the hosts' connections, their registrations, the state.
///
/// Nothing here blocks, and nothing fails: what cannot be kept costs a host that it has to register anew. Without a
/// service manager nothing is kept.
final class Vault {
    /// Called with a sentence about what cannot be kept, once until it can again.
    var complain: (String) -> Void = { _ in }

    private let notifier: ServiceNotifier
    private let isOpen: Bool
    private let nameLimit: Int
    /// The file that the state is in, once there is one, and what it says.
    private var state: (content: DaemonState, file: MemoryFile)?
    /// The ids of the hosts that are kept.
    private var hosts: Set<UInt64> = []
    private var nameBytes = 0
    private var hasComplained = false

    /// How many bytes the names may have, together.
    ///
    /// They come back in one environment variable, and the kernel starts no program with one of more than 128 KiB
    /// (`MAX_ARG_STRLEN`): one host too many, and the daemon would never start again. The rest is for the names of
    /// sockets, and of descriptors that the manager does not let go of yet.
    static let nameLimit = 120 << 10

    init(_ notifier: ServiceNotifier, isOpen: Bool, nameLimit: Int = Vault.nameLimit) {
        self.notifier = notifier
        self.isOpen = isOpen
        self.nameLimit = nameLimit
    }

    /// Goes on from what was inherited; what is of no use is forgotten.
    func adopt(_ inheritance: Inheritance) {
        for name in inheritance.useless { forget(name) }
        state = inheritance.state
        for host in inheritance.hosts { note(host.registration) }
    }

    /// Keeps a host, unless it is kept already.
    ///
    /// The connection stays the caller's.
    func keep(_ registration: @autoclosure () -> Registration, connection: CInt) {
        guard isOpen else { return }
        let registration = registration()
        guard !hosts.contains(registration.id) else { return }
        guard nameBytes + registration.nameBytes <= nameLimit else {
            return fail("there are \(hosts.count) hosts; those beyond register anew after a restart")
        }
        do throws(SystemdError) {
            let record = try MemoryFile(name: registration.name)
            try record.write(registration.encoded)
            // In one message, so that neither ever comes back without the other.
            try notifier.store(name: registration.name, descriptors: [connection, record.fd])
            note(registration)
            hasComplained = false
        } catch {
            fail("\(error); hosts that register now register anew after a restart")
        }
    }

    /// Lets go of a host, and ends its connection, which stays the caller's to close.
    func release(_ host: UInt64, connection: CInt) {
        guard isOpen else { return }
        // The manager's duplicate would keep it open for the peer.
        shutdown(connection, CInt(SHUT_RDWR))
        release(host)
    }

    /// Lets go of a host whose connection is closed here; the manager closes it as well.
    func release(_ host: UInt64) {
        guard hosts.remove(host) != nil else { return }
        let name = Registration.name(of: host)
        nameBytes -= Registration.nameBytes(name)
        forget(name)
    }

    /// Keeps the state, if it is another than before.
    ///
    /// Call it after warnings are sent: where memory is short, to write may take a while.
    func save(_ content: @autoclosure () -> DaemonState) {
        guard isOpen else { return }
        let content = content()
        guard content != state?.content else { return }
        do throws(SystemdError) {
            if let state {
                try state.file.write(content.encoded)
                self.state = (content, state.file)
            } else {
                let file = try MemoryFile(name: DaemonState.name)
                try file.write(content.encoded)
                try notifier.store(name: DaemonState.name, descriptors: [file.fd])
                state = (content, file)
            }
        } catch {
            fail("\(error); a restart would go on from an older state")
        }
    }

    private func note(_ registration: Registration) {
        hosts.insert(registration.id)
        nameBytes += registration.nameBytes
    }

    private func forget(_ name: String) {
        // What is not a name the manager cannot have under it; should it not listen, the next daemon removes it.
        if ServiceNotifier.isStoreName(name) { try? notifier.removeStored(name: name) }
    }

    private func fail(_ problem: String) {
        guard !hasComplained else { return }
        hasComplained = true
        complain(problem)
    }
}

extension Registration {
    /// What it takes of the variable with the names: its name for each of its two descriptors, and what divides them.
    fileprivate var nameBytes: Int { Self.nameBytes(name) }

    fileprivate static func nameBytes(_ name: String) -> Int { 2 * (name.utf8.count + 1) }
}
