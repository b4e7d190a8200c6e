package import MemoryPressure
package import MemwarnProtocol

/// A registered controller host, as the policy sees it.
package struct HostEntry: Sendable {
    package let id: HostID
    /// The connection that leads to it.
    package let connection: ConnectionID
    package let door: HostRecord.Door
    package let pid: UInt32
    package let uid: UInt32
    package let name: String
    package let priority: UInt8
    /// The messages that it accepts in addition to warnings.
    package let accepts: HostMessages
    /// The allocator behind malloc(3) in its process.
    package let allocator: HostAllocator
    /// The scope of its own cgroup; moves with the process.
    package internal(set) var scope: ScopeID
    /// The bytes that it could release by its own statement.
    package internal(set) var releasable: UInt64
    /// The last level that it was told, without simulated levels.
    package internal(set) var told: PressureLevel
    /// The level that it was told before, which counts again if the last one could not be sent.
    var toldBefore: PressureLevel
    /// Whether the level that binds it could not be sent; it is sent when the connection has room.
    package internal(set) var isBehind = false
    /// The outcome of the last warning that wanted an answer.
    package internal(set) var delivery: Delivery?
    /// The newest round that it has not been told of; it is told after the answer to the warning in flight, or after
    /// the deadline.
    package internal(set) var owed: Debt?
    /// The scope of its last warning, which may differ from its own; 0 if there is none.
    package internal(set) var warnedFor: ScopeID = 0
    /// The last round of real pressure that it was told of, or is owed; 0 if there is none.
    var asked: UInt64 = 0

    /// The number of the last check of its location, and whether the periodic checks include it.
    var check: UInt32 = 0
    var hasStandingCheck = false

    init(_ newcomer: Newcomer, in scope: ScopeID, told: PressureLevel) {
        id = newcomer.id
        connection = newcomer.connection
        door = newcomer.door
        pid = newcomer.pid
        uid = newcomer.uid
        name = newcomer.hello.name
        priority = newcomer.hello.priority
        accepts = newcomer.hello.accepts
        allocator = newcomer.hello.allocator
        releasable = newcomer.hello.releasable
        self.scope = scope
        self.told = told
        toldBefore = told
    }

    /// A round that a host has not been told of yet, and the host's part of the bytes wanted.
    package struct Debt: Sendable {
        package var round: UInt64
        package var level: PressureLevel
        package var isSimulated: Bool
        package var bytesWanted: UInt64
    }

    /// One warning to one host.
    package struct Delivery: Sendable {
        package var round: UInt64
        package var outcome: HostRecord.Outcome
        /// Whether it asks for memory because of real pressure.
        package var isPressing: Bool
        package var sent: MonotonicInstant
        package var answer: Acknowledgement?
    }

    /// The level that the host knows once it has been told the owed round; simulated levels do not count.
    var believed: PressureLevel {
        if let owed, !owed.isSimulated { owed.level } else { told }
    }

    /// Whether its last answer stated that it had nothing left to release.
    ///
    /// The answer to a simulation, or to the end of pressure, says nothing about what real pressure would release.
    package var isExhausted: Bool {
        guard let delivery, delivery.isPressing, let answer = delivery.answer else { return false }
        return answer.released == 0 && answer.releasable == 0
    }

    /// Whether a warning is in flight: sent, neither answered nor given up.
    package var isAwaited: Bool { delivery?.outcome == .awaiting }

    /// Its registration, with its latest statement of releasable bytes.
    package var hello: Hello {
        Hello(priority: priority, releasable: releasable, name: name, accepts: accepts, allocator: allocator)
    }

    /// The recipient of a message to it.
    ///
    /// Inlined, because a call copies the whole entry, for each host of a round.
    @inline(__always)
    func recipient(of bytesWanted: UInt64 = 0) -> Effects.Recipient {
        Effects.Recipient(host: id, connection: connection, door: door, bytesWanted: bytesWanted)
    }

    package func record(_ state: RecordState, scope path: String) -> HostRecord {
        HostRecord(
            id: id,
            state: state,
            pid: pid,
            uid: uid,
            priority: priority,
            level: told,
            releasable: releasable,
            lastRound: delivery?.round ?? 0,
            outcome: delivery?.outcome ?? .none,
            released: delivery?.answer?.released ?? 0,
            residentBefore: delivery?.answer?.residentBefore ?? 0,
            residentAfter: delivery?.answer?.residentAfter ?? 0,
            duration: delivery?.answer?.duration ?? 0,
            name: name,
            scope: path.prefix(utf8: TextLimit.path.upperBound),
            door: door,
            allocator: allocator
        )
    }
}

/// A host that registers.
package struct Newcomer: Sendable {
    package var id: HostID
    package var connection: ConnectionID
    package var door: HostRecord.Door
    package var pid: UInt32
    package var uid: UInt32
    package var hello: Hello
    package var location: Location

    package init(
        id: HostID,
        connection: ConnectionID,
        door: HostRecord.Door = .native,
        pid: UInt32,
        uid: UInt32,
        hello: Hello,
        location: Location = .found(.host)
    ) {
        self.id = id
        self.connection = connection
        self.door = door
        self.pid = pid
        self.uid = uid
        self.hello = hello
        self.location = location
    }
}

/// The location of a host's process.
package enum Location: Sendable {
    /// It is in this cgroup, or in none that can be watched apart from the whole host.
    case found(SensorPlace)
    /// It could not be determined.
    case unknown(KernelError)
}

extension HostRecord.Door {
    /// Whether hosts behind this door answer.
    package var takesAnswers: Bool { self == .native }
}
