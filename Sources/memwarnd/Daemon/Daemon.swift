import Glibc
import MemoryPressure
import MemwarnProtocol
import Systemd

/// The daemon: readings become levels, levels become rounds, rounds become warnings, answers become the ledger.
///
/// One thread, one event loop; everything here is called from it.
final class Daemon {
    let configuration: Configuration
    let loop: EventLoop
    let started = MonotonicInstant.now
    private(set) var hosts = HostRegistry()
    let sensors: Sensors
    let rounds: Rounds
    private(set) var ledger = Ledger()
    let door: NativeDoor
    let log: DeferredLog
    private var statusUpdate: DeferredSource?
    private var signals: [EventSource] = []
    /// Who asked for a simulated round, by the round's id.
    private var requesters: [UInt64: (peer: Peer, sequence: UInt64)] = [:]
    private var complaints = Allowance.complaints(at: .now)

    /// Watches the host and opens the door; nothing happens until ``run()``.
    ///
    /// - Throws: ``SystemdError`` where the event loop cannot be set up.
    init(
        configuration: Configuration,
        kernel: KernelTree,
        socket: ListeningSocket,
        journal: Journal
    ) throws(SystemdError) {
        self.configuration = configuration
        loop = try EventLoop()
        log = try DeferredLog(journal, loop: loop)
        sensors = Sensors(kernel: kernel, configuration: configuration, loop: loop)
        rounds = try Rounds(configuration: configuration, loop: loop)
        door = try NativeDoor(socket, limit: Self.peerLimit(), loop: loop)

        sensors.handler = { [unowned self] scope, event in handle(event, in: scope) }
        rounds.hosts = { [unowned self] in hosts.all }
        rounds.finished = { [unowned self] in record($0) }
        door.delegate = self
        statusUpdate = try loop.deferred { [unowned self] in updateStatus() }
        for number in [SIGTERM, SIGINT] {
            signals.append(try loop.signal(number) { [unowned self] in stop() })
        }
    }

    /// Why the host cannot be watched, if it cannot.
    var failure: KernelError? { sensors.host.failure }

    /// Serves until SIGTERM or SIGINT.
    func run() throws(SystemdError) -> CInt {
        try loop.enableWatchdog()
        try ServiceManager.ready(status: status)
        defer { log.flush() }
        return try loop.run()
    }

    private func stop() {
        try? ServiceManager.stopping()
        loop.exit(code: 0)
    }

    private var status: String {
        let worst = sensors.all.map(\.level).max() ?? .normal
        return "\(worst); \(hosts.all.count) hosts, \(rounds.count) rounds"
    }

    private func updateStatus() {
        // A service manager that does not listen is no reason to do anything else.
        try? ServiceManager.status(status)
    }

    /// As many peers as there may be descriptors, less those the daemon needs itself: a few of its own, and three for
    /// each watched cgroup.
    private static func peerLimit() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        getrlimit(resource, &limit)
        return max(16, Int(clamping: limit.rlim_cur) - 512)
    }
}

// MARK: - Levels

extension Daemon {
    private func handle(_ event: Scope.Event, in scope: Scope) {
        switch event {
        case .level(.rose), .level(.persists):
            announce(scope, isRepeat: event.isRepeat)
        case .level(.fell):
            relieve(sensors.within(scope))
            note(scope)
        case .lost:
            lose(scope)
        }
        statusUpdate?.schedule()
    }

    /// Warns the hosts for which this scope's level is the one that counts.
    private func announce(_ scope: Scope, isRepeat: Bool) {
        let targets = sensors.within(scope).filter { sensors.binding($0) === scope }.flatMap(\.hosts)
        var options: WarningOptions = [.answerWanted]
        if isRepeat { options.insert(.repeated) }
        rounds.begin(cause(scope, options), targets)
        note(scope)
    }

    /// Tells hosts whose level fell what it is now: one round for each scope whose level counts for them.
    private func relieve(_ scopes: [Scope]) {
        let byBinding = Dictionary(grouping: scopes) { sensors.binding($0).id }
        for group in byBinding.values {
            let binding = sensors.binding(group[0])
            let relieved = group.flatMap(\.hosts).filter { $0.believed > binding.level }
            if !relieved.isEmpty { rounds.begin(cause(binding, []), relieved) }
        }
    }

    /// Makes a scope's level known to people and observers.
    private func note(_ scope: Scope) {
        log.level(of: scope)
        publish(.scope(scope.record(.present)))
    }

    private func cause(_ scope: Scope, _ options: WarningOptions) -> Rounds.Cause {
        Rounds.Cause(
            level: scope.level,
            options: options,
            reason: scope.machine.reason,
            scope: scope.path,
            bytesWanted: scope === sensors.host && scope.level > .normal ? sensors.bytesWanted() : 0
        )
    }

    /// A cgroup is gone, or its accounting was switched off: its hosts are looked for anew.
    private func lose(_ scope: Scope) {
        guard scope !== sensors.host else {
            log.entry(.error, "the host's memory pressure cannot be read any more")
            return
        }
        sensors.forget(scope)
        publish(.scope(scope.record(.gone)))
        let homeless = scope.hosts
        scope.hosts = []
        for host in homeless { settle(host) }
        relieve(sensors.all)
    }

    private func settle(_ host: Host) {
        host.scope = sensors.scope(of: host.process.pid)
        // It may be older than those that live there.
        host.scope.hosts.insertHost(host)
    }
}

extension Scope.Event {
    fileprivate var isRepeat: Bool {
        if case .level(.persists) = self { true } else { false }
    }
}

// MARK: - Rounds

extension Daemon {
    private func record(_ round: Round) {
        ledger.append(round)
        let record = round.record(at: .now)
        if let (peer, sequence) = requesters.removeValue(forKey: round.id) {
            peer.send(Frame(sequence: sequence, message: .round(record)))
        }
        publish(.round(record))
        log.round(record)
    }

    /// Tells everybody who subscribed.
    private func publish(_ message: Message) {
        for peer in observers { peer.publish(message) }
    }

    private var observers: [Peer] { door.peers.values.filter { $0.subscription != nil } }
}

// MARK: - Peers

extension Daemon: NativeDoor.Delegate {
    func door(_ door: NativeDoor, _ peer: Peer, sent frame: Frame) {
        switch frame.message {
        case .hello(let hello) where peer.host == nil:
            register(peer, hello, sequence: frame.sequence)
        case .acknowledgement(let answer):
            if let host = peer.host { rounds.answer(host, round: frame.sequence, answer) }
        case .query(let query):
            list(query, to: peer, sequence: frame.sequence)
        case .simulate(let request):
            simulate(request, for: peer, sequence: frame.sequence)
        case .subscribe:
            peer.subscription = frame.sequence
            peer.send(Frame(sequence: frame.sequence, message: .end(End())))
        default:
            let refusal = Refusal(code: .unexpectedMessage, message: "this message is not for the daemon, or not now")
            door.refuse(peer, sequence: frame.sequence, refusal)
        }
    }

    func door(_ door: NativeDoor, closed peer: Peer) {
        requesters = requesters.filter { $0.value.peer !== peer }
        guard let host = peer.host else { return }
        peer.host = nil
        hosts.remove(host)
        host.scope.hosts.removeHost(host)
        sensors.release(host.scope)
        rounds.leave(host)
        publish(.host(host.record(.gone)))
        statusUpdate?.schedule()
    }

    func door(_ door: NativeDoor, refused peer: Peer?, _ refusal: Refusal) {
        guard complaints.take(at: .now) else { return }
        let who = peer.map { "pid \($0.process.pid) of uid \($0.process.uid)" } ?? "a newcomer"
        log.entry(.warning, "refused \(who): \(refusal.message)")
    }

    private func register(_ peer: Peer, _ hello: Hello, sequence: UInt64) {
        let scope = sensors.scope(of: peer.process.pid)
        let binding = sensors.binding(scope)
        let host = Host(
            id: hosts.makeID(),
            hello: hello,
            process: peer.process,
            scope: scope,
            told: binding.level,
            send: { [unowned peer] in peer.send($0) }
        )
        peer.host = host
        hosts.add(host)
        scope.hosts.append(host)
        let welcome = Welcome(
            hostID: host.id,
            level: binding.level,
            reason: binding.machine.reason,
            scope: scope.path.prefix(utf8: TextLimit.path.upperBound)
        )
        peer.send(Frame(sequence: sequence, message: .welcome(welcome)))
        publish(.host(host.record(.present)))
        statusUpdate?.schedule()
    }
}

// MARK: - Requests

extension Daemon {
    /// How many records one query brings: few enough that they fit a socket's queue.
    private static let pageSize = Query.maximumRecords

    private func list(_ query: Query, to peer: Peer, sequence: UInt64) {
        var records: [Message] = []
        var next: UInt64 = 0
        switch query.section {
        case .daemon:
            records = [.daemon(daemonRecord)]
        case .scopes:
            let page = sensors.all.filter { $0.id > query.after }.prefix(Self.pageSize)
            records = page.map { .scope($0.record(.present)) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        case .hosts:
            let page = hosts.page(after: query.after, limit: Self.pageSize)
            records = page.map { .host($0.record(.present)) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        case .rounds:
            let now = MonotonicInstant.now
            let page = (ledger.rounds + rounds.running).sorted { $0.id < $1.id }
                .filter { $0.id > query.after }.prefix(Self.pageSize)
            records = page.map { .round($0.record(at: now)) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        }
        for record in records { peer.send(Frame(sequence: sequence, message: record)) }
        peer.send(Frame(sequence: sequence, message: .end(End(next: next))))
    }

    private var daemonRecord: DaemonRecord {
        DaemonRecord(
            pid: UInt32(getpid()),
            uptime: started.duration(to: .now).milliseconds,
            level: sensors.all.map(\.level).max() ?? .normal,
            hosts: UInt32(hosts.all.count),
            scopes: UInt32(sensors.all.count),
            rounds: rounds.count,
            version: Memwarnd.version
        )
    }

    private func simulate(_ request: Simulate, for peer: Peer, sequence: UInt64) {
        let named: [Host] =
            switch request.target {
            case .all: hosts.all
            case .name(let name): hosts.all.filter { $0.name == name }
            case .pid(let pid): hosts.all.filter { $0.process.pid == pid }
            }
        // Root and the daemon's own user may warn anybody, everybody else their own.
        let mayWarnAll = peer.process.uid == 0 || peer.process.uid == geteuid()
        let targets = mayWarnAll ? named : named.filter { $0.process.uid == peer.process.uid }
        guard !targets.isEmpty else {
            let refusal =
                named.isEmpty
                ? Refusal(code: .noSuchHost, message: "no registered host is meant by that")
                : Refusal(code: .notPermitted, message: "the hosts meant by that are other users'")
            peer.send(Frame(sequence: sequence, message: .error(refusal)))
            return
        }
        let cause = Rounds.Cause(
            level: request.level,
            options: [.simulated, .answerWanted],
            reason: .simulation,
            scope: "/",
            bytesWanted: request.bytesWanted,
            // Longer than a minute nobody waits, and a round that never ends helps nobody.
            deadline: request.deadline > 0 ? .milliseconds(min(request.deadline, 60_000)) : nil
        )
        let round = rounds.begin(cause, targets)
        peer.send(Frame(sequence: sequence, message: .round(round.record(at: .now))))
        if round.finished == nil { requesters[round.id] = (peer, sequence) }
    }
}
