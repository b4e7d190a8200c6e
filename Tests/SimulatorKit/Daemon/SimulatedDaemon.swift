import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// The state of the daemon around the policy: connections, open files, the service manager's store.
final class SimulatedDaemon {
    /// A connection, from accept(2) to close(2).
    ///
    /// A class, because every step looks it up.
    final class Link {
        let host: Int
        let epoch: Int
        let uid: UInt32
        var id: HostID?
        var hello: Hello?
        /// Whether the peer has closed its end.
        var isEnded = false
        var awaitsRoom = false
        /// The oldest answer that its socket did not accept: it is sent as soon as there is room, before any warning.
        var kept: [UInt8]?
        var isStored = false

        init(host: Int, epoch: Int, uid: UInt32) {
            (self.host, self.epoch, self.uid) = (host, epoch, uid)
        }
    }

    /// Files that the thread is opening, or has opened without the loop's knowledge yet.
    struct Opening {
        let scope: ScopeID
        let node: KernelModel.Node?
        var isDone = false
        var files: Int?
        /// The events of these files in the meantime.
        var early: [DaemonEvent] = []
        /// When a limit changed in the meantime.
        var limitsMoved: MonotonicInstant?
    }

    /// The state that the daemon left with the service manager.
    struct Saved {
        var lastHost: HostID = 0
        var levels: [String: PressureLevel] = [:]
    }

    var policy: WarningPolicy
    var store: StorePolicy
    /// The current configuration file.
    var settings: Settings
    /// The number of the daemon's starts.
    private(set) var generation = 0
    private(set) var isUp = false
    var isFrozen = false
    /// Events that wait for the daemon while it is frozen, or in sockets while it is down.
    var held: [DaemonEvent] = []
    /// When its undisturbed work began.
    private(set) var upSince: UInt64 = 0
    private(set) var links: [Link?] = []
    var saved: Saved?
    /// The open files of scopes.
    private var openFiles: [(scope: ScopeID, files: Int)] = []
    var openings: [Opening] = []
    /// When the thread that opens files becomes idle.
    var threadIdle: UInt64 = 0
    private(set) var patterns: [CgroupPattern] = []
    /// When the timer in the queue is due.
    var timer: UInt64?
    var storeTimer: UInt64?
    /// The daemon dies in the next round, after this number of effects.
    var diesAfter: (effects: Int, down: UInt64)?
    private var buffers: (inputs: [WarningPolicy.Input], effects: Effects) = ([], Effects())
    var inputs = 0

    init(_ scenario: Scenario) {
        var settings = Settings()
        settings.cgroups = scenario.patterns
        self.settings = settings
        policy = WarningPolicy(settings, seed: scenario.seed, slice: scenario.slice)
        store = StorePolicy(limit: 1_000)
        follow(settings)
    }

    func follow(_ settings: Settings) {
        self.settings = settings
        patterns = settings.cgroups.compactMap { try? CgroupPattern($0) }
    }

    func matches(_ path: String) -> Bool { patterns.contains { $0.matches(path) } }

    /// When the policy and the store are due.
    func dues() -> (policy: MonotonicInstant?, store: MonotonicInstant?) { Self.dues(&policy, &store) }

    /// In place: a nonmutating method call on a class's property would copy the whole value.
    private static func dues(
        _ policy: inout WarningPolicy,
        _ store: inout StorePolicy
    ) -> (policy: MonotonicInstant?, store: MonotonicInstant?) { (policy.due, store.due) }

    /// Takes the buffers of a step, which returns them afterwards.
    func takeBuffers() -> (inputs: [WarningPolicy.Input], effects: Effects) {
        defer { buffers = ([], Effects()) }
        return buffers
    }

    func giveBack(_ inputs: inout [WarningPolicy.Input], _ effects: inout Effects) {
        inputs.removeAll(keepingCapacity: true)
        effects.removeAll()
        swap(&buffers.inputs, &inputs)
        swap(&buffers.effects, &effects)
    }

    // MARK: Life

    func begin(_ policy: WarningPolicy, _ store: StorePolicy, at now: UInt64) {
        (self.policy, self.store) = (policy, store)
        (isUp, isFrozen, upSince) = (true, false, now)
        (timer, storeTimer, diesAfter) = (nil, nil, nil)
        openFiles = []
        openings = []
    }

    /// Ends the daemon; another one may follow.
    func end() {
        generation += 1
        (isUp, isFrozen, timer, storeTimer, diesAfter) = (false, false, nil, nil, nil)
        openFiles = []
        openings = []
    }

    // MARK: Connections

    func link(_ connection: ConnectionNumber) -> Link? {
        let place = Int(connection)
        return place >= 0 && place < links.count ? links[place] : nil
    }

    func awaitsRoom(_ connection: ConnectionNumber) -> Bool { link(connection)?.awaitsRoom ?? false }

    /// Gives a newcomer the lowest free descriptor, as the kernel does; `nil` while nothing listens.
    func accept(_ host: Int, epoch: Int, uid: UInt32) -> ConnectionNumber? {
        guard isUp else { return nil }
        let place = links.firstIndex { $0 == nil } ?? links.count
        if place == links.count { links.append(nil) }
        links[place] = Link(host: host, epoch: epoch, uid: uid)
        return ConnectionNumber(place)
    }

    func close(_ connection: ConnectionNumber) {
        if link(connection) != nil { links[Int(connection)] = nil }
    }

    /// The connection of a host id.
    func connection(of id: HostID) -> ConnectionNumber? {
        links.firstIndex { $0?.id == id }.map { ConnectionNumber($0) }
    }

    // MARK: Files

    func files(of scope: ScopeID) -> Int? { openFiles.first { $0.scope == scope }?.files }

    /// The scopes with open files, in order of their ids.
    var scopes: [(scope: ScopeID, files: Int)] { openFiles }

    func note(_ files: Int, of scope: ScopeID) {
        openFiles.removeAll { $0.scope == scope }
        openFiles.append((scope, files))
        openFiles.sort { $0.scope < $1.scope }
    }

    /// Keeps an event of files that are still unknown to the loop.
    ///
    /// - Returns: Whether the files are still unknown to the loop.
    func hold(_ event: DaemonEvent, of files: Int) -> Bool {
        guard let index = openings.firstIndex(where: { $0.files == files }) else { return false }
        openings[index].early.append(event)
        return true
    }

    func forget(_ scope: ScopeID) { openFiles.removeAll { $0.scope == scope } }
}
