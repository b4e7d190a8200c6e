package import MemoryPressure

/// Decides which hosts' connections the service manager stores over a restart, and when it receives them.
///
/// Each stored connection costs the manager time, which grows with the number that it has, and nothing may delay the
/// manager. So a host that reconnects by itself is stored only after it has stayed for a while, each message waits for
/// its turn, and users take turns. The total length of the names limits the store: in total, and half of that per user.
package struct StorePolicy: Sendable {
    /// The properties of a host that matter to the store.
    package struct Host: Equatable, Sendable {
        package var id: HostID
        package var uid: UInt32
        /// The length of its descriptors' names, which counts towards the total.
        package var nameBytes: Int

        package init(id: HostID, uid: UInt32, nameBytes: Int) {
            self.id = id
            self.uid = uid
            self.nameBytes = nameBytes
        }
    }

    /// An event.
    package enum Input: Sendable {
        /// A host registered; one that does not reconnect by itself is stored as soon as the rate permits.
        case joined(Host, comesBack: Bool)
        /// A host is stored already, by an earlier daemon.
        case inherited(Host)
        /// A host is gone, or could not be stored. The manager drops its connection by itself.
        case left(HostID)
        /// The manager stores a useless descriptor that it does not drop by itself.
        case useless(name: String, nameBytes: Int)
        /// ``StorePolicy/due`` has come.
        case elapsed
    }

    /// An action.
    package enum Effect: Equatable, Sendable {
        /// Give the manager this host's connection.
        case store(HostID)
        /// Make the manager drop the descriptors with this name.
        case remove(name: String)
        /// There is no room for the host whose turn it is.
        case noRoom(HostID)
    }

    /// How long a host that reconnects by itself has to stay.
    package static let patience = Duration.seconds(30)
    /// The maximum length of a host's name: `host-`, 19 digits, and the separator.
    package static let longestName = 25

    private enum Standing {
        /// It reconnects by itself, and has not stayed long enough.
        case young
        /// It waits for its turn, or for room.
        case waiting(isUrgent: Bool)
        case stored
    }

    private struct Entry {
        let host: Host
        let joined: MonotonicInstant
        var standing: Standing
    }

    private struct User {
        var nameBytes = 0
        /// Hosts that wait, in order of their ids.
        var urgent: [HostID] = []
        var patient: [HostID] = []
        /// Whether the user is in ``StorePolicy/turns``.
        var hasTurn = false

        var waits: Bool { !urgent.isEmpty || !patient.isEmpty }

        mutating func next() -> HostID { urgent.isEmpty ? patient.removeFirst() : urgent.removeFirst() }
    }

    private let patience: Duration
    private let limit: Int
    private var allowance = Allowance.storeMessages
    private var entries: [HostID: Entry] = [:]
    /// Hosts that have not stayed long enough, in order of their ids, which is the order of registration.
    private var young: [HostID] = []
    private var users: [UInt32: User] = [:]
    /// Users with waiting hosts and room, the next first.
    private var turns: [UInt32] = []
    private var removals: [(name: String, nameBytes: Int)] = []
    private var nameBytes = 0

    /// Creates a policy that stores names of `limit` bytes at most, and hosts that reconnect by themselves after
    /// `patience`.
    package init(limit: Int, patience: Duration = Self.patience) {
        self.limit = limit
        self.patience = patience
    }

    /// When ``Input/elapsed`` is to be fed; `nil` if not before another input.
    package var due: MonotonicInstant? {
        let ripe = young.first.flatMap { entries[$0] }?.joined.advanced(by: patience)
        guard !removals.isEmpty || canStore else { return ripe }
        return min(allowance.next, ripe ?? allowance.next)
    }

    /// Handles an event, and appends the resulting actions.
    package mutating func handle(_ input: Input, at now: MonotonicInstant, into effects: inout [Effect]) {
        switch input {
        case .joined(let host, let comesBack):
            entries[host.id] = Entry(host: host, joined: now, standing: .young)
            if comesBack { young.addInOrder(host.id) } else { line(up: host, isUrgent: true, &effects) }
        case .inherited(let host):
            entries[host.id] = Entry(host: host, joined: now, standing: .stored)
            nameBytes += host.nameBytes
            users[host.uid, default: User()].nameBytes += host.nameBytes
        case .left(let id): leave(id)
        case .useless(let name, let bytes):
            nameBytes += bytes
            removals.append((name, bytes))
        case .elapsed: break
        }
        while let id = young.first, let entry = entries[id], entry.joined.advanced(by: patience) <= now {
            young.removeFirst()
            line(up: entry.host, isUrgent: false, &effects)
        }
        send(at: now, &effects)
    }

    /// Gives up the room of hosts that have left.
    package mutating func shrink() {
        entries.shrink()
        young.shrink()
        for uid in users.keys {
            users[uid]?.urgent.shrink()
            users[uid]?.patient.shrink()
        }
    }

    private mutating func line(up host: Host, isUrgent: Bool, _ effects: inout [Effect]) {
        entries[host.id]?.standing = .waiting(isUrgent: isUrgent)
        if isUrgent {
            users[host.uid, default: User()].urgent.addInOrder(host.id)
        } else {
            users[host.uid, default: User()].patient.addInOrder(host.id)
        }
        giveTurn(host.uid)
        if !isRoomy || users[host.uid]?.hasTurn != true { effects.append(.noRoom(host.id)) }
    }

    private mutating func leave(_ id: HostID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        let uid = entry.host.uid
        switch entry.standing {
        case .young: young.removeInOrder(id)
        case .waiting(isUrgent: true): users[uid]?.urgent.removeInOrder(id)
        case .waiting(isUrgent: false): users[uid]?.patient.removeInOrder(id)
        case .stored:
            nameBytes -= entry.host.nameBytes
            users[uid]?.nameBytes -= entry.host.nameBytes
            giveTurn(uid)
        }
        forgetIfIdle(uid)
    }

    /// Puts a user with waiting hosts and room at the end of the turns.
    private mutating func giveTurn(_ uid: UInt32) {
        guard let user = users[uid], user.waits, !user.hasTurn, user.nameBytes + Self.longestName <= limit / 2 else {
            return
        }
        users[uid]?.hasTurn = true
        turns.append(uid)
    }

    private mutating func forgetIfIdle(_ uid: UInt32) {
        if let user = users[uid], user.nameBytes == 0, !user.waits, !user.hasTurn { users[uid] = nil }
    }

    private var isRoomy: Bool { nameBytes + Self.longestName <= limit }
    private var canStore: Bool { !turns.isEmpty && isRoomy }

    private mutating func send(at now: MonotonicInstant, _ effects: inout [Effect]) {
        // Removals come first: a removed name may be stored again.
        while !removals.isEmpty, allowance.take(at: now) {
            let removal = removals.removeFirst()
            nameBytes -= removal.nameBytes
            effects.append(.remove(name: removal.name))
        }
        guard removals.isEmpty else { return }
        while canStore {
            let uid = turns[0]
            if users[uid]?.waits == true {
                guard allowance.take(at: now) else { return }
                store(uid, &effects)
            }
            turns.removeFirst()
            users[uid]?.hasTurn = false
            giveTurn(uid)
            forgetIfIdle(uid)
        }
    }

    /// Stores the next waiting host of a user.
    private mutating func store(_ uid: UInt32, _ effects: inout [Effect]) {
        guard let id = users[uid]?.next(), let host = entries[id]?.host else { return }
        entries[id]?.standing = .stored
        users[uid]?.nameBytes += host.nameBytes
        nameBytes += host.nameBytes
        effects.append(.store(id))
    }
}

extension [HostID] {
    /// Adds an id to ids in ascending order.
    fileprivate mutating func addInOrder(_ id: HostID) {
        insert(id, at: position(of: id))
    }

    /// Removes an id from ids in ascending order; the ids after it move, eight bytes a host.
    fileprivate mutating func removeInOrder(_ id: HostID) {
        let position = position(of: id)
        if position < count, self[position] == id { remove(at: position) }
    }

    private func position(of id: HostID) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
