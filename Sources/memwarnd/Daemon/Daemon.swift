import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import MemwarnSettings
import Systemd
import WarningPolicy

/// The daemon: readings become levels, levels become rounds, rounds become warnings, answers become the ledger.
///
/// One thread, one event loop; all code here runs on it.
final class Daemon {
    let loop: EventLoop
    let started = MonotonicInstant.now
    /// The policy of the daemon.
    private(set) var policy: WarningPolicy
    let sensors: Sensors
    let door: NativeDoor
    /// The socket for `$MEMORY_PRESSURE_WATCH`, if there is one.
    private(set) var pressureDoor: PressureDoor?
    /// The name on D-Bus, if the configuration wants it.
    private(set) var lowMemoryMonitor: LowMemoryMonitorDoor?
    /// The reason why there is no pressure socket although the configuration wants it.
    private(set) var pressureFailure: String?
    /// Whether the two doors that the configuration can close stay closed until all of its files are valid.
    private(set) var awaitsConfiguration: Bool
    private let sockets: ListeningSockets
    private let bus: Bus.Kind?
    /// The users that may warn and command the hosts of all users.
    var rights: ControlRights
    /// Decides which newcomers may connect.
    let admission: Admission
    /// Closes descriptors whose close may take long.
    let closer: DescriptorCloser
    let log: DeferredLog
    let notifier: ServiceNotifier
    /// The state that is kept over a restart.
    let vault: Vault
    /// The configuration in force.
    var configuration: Settings
    /// The path of the configuration.
    var configurationPath = Settings.systemPath
    /// Reads the configuration again.
    var load: () -> ConfigurationReading
    /// The parts of the last read configuration that are not in force, and why; empty if everything is.
    var refusal: String?
    /// Tells the service manager the present status.
    private var statusUpdate: TimerSource?
    private var isStatusDue = false
    private var lastStatus = MonotonicInstant(nanoseconds: 0)
    private var toldStatus = ""
    private var signals: [EventSource] = []
    /// The peers that subscribed, separate from thousands of other peers, since each newcomer needs the list.
    let observers: Observers
    /// The connections of hosts and newcomers whose processes have to be found.
    var sought = FairQueue()
    /// Starts searches when no more important source is pending.
    private(set) var search: TimerSource?
    /// Called with each round that has ended.
    var roundEnded: (RoundRecord) -> Void = { _ in }
    /// The inputs that the policy has not processed yet, the oldest first.
    private var inputs: [WarningPolicy.Input] = []
    private var effects = Effects()
    /// Returns the memory of hosts that have left.
    private(set) var shrinking: TimerSource?
    var isShrinkingDue = false
    /// Whether the code that only the start has needed was returned as well.
    var hasSettled = false
    private var isFeeding = false
    /// When the processor was last left to the hosts of a round.
    var lastYield = MonotonicInstant(nanoseconds: 0)
    /// Stores the state once for all levels that change in a millisecond: it contains all of them.
    private(set) var saving: DeferredSource?
    /// When that was done last.
    var lastSave = MonotonicInstant(nanoseconds: 0)
    private var timer: TimerSource?
    /// When ``timer`` elapses; `nil` while it is not armed.
    private var armed: MonotonicInstant?
    /// Whether the log contains already that processes of other users are hidden.
    var knowsOfHiding = false
    /// Limits how often peers that break the rules are logged.
    var complaints = Allowance.complaints
    /// The number of such peers that were not logged since the last one that was.
    var withheldComplaints: UInt64 = 0

    /// Watches the host, opens the doors, and restores the state of an earlier daemon; nothing else happens until
    /// ``run()``.
    ///
    /// `bus` is where to request low-memory-monitor's name, if the configuration wants it. A daemon that is not a
    /// service sends nothing to the service manager, and leaves the signals to the program that contains it. Hosts that
    /// reconnect by themselves are kept over a restart once they have stayed for `storePatience`.
    ///
    /// If the configuration's files have mistakes, the doors that it can close stay closed.
    ///
    /// - Throws: ``SystemdError`` if the event loop cannot be set up.
    init(
        configuration: Settings,
        problems: [ConfigurationProblem] = [],
        kernel: KernelTree,
        sockets: ListeningSockets,
        bus: Bus.Kind? = nil,
        inheritance: Inheritance = Inheritance(),
        journal: Journal,
        isService: Bool = true,
        rights: ControlRights = .current(),
        storePatience: Duration = StorePolicy.patience
    ) throws(SystemdError) {
        self.rights = rights
        self.configuration = configuration
        policy = WarningPolicy(configuration, seed: UInt64.random(in: 0 ... .max))
        load = { ConfigurationReading() }
        self.sockets = sockets
        self.bus = bus
        awaitsConfiguration = !problems.isEmpty
        let loop = try EventLoop()
        let quotas = PeerQuotas(total: Self.peerLimit(), perUser: configuration.peersPerUser, exempt: [0, geteuid()])
        let admission = Admission(quotas, in: kernel)
        let closer = DescriptorCloser()
        self.loop = loop
        self.admission = admission
        self.closer = closer
        observers = try Observers(loop: loop)
        log = try DeferredLog(journal, loop: loop)
        let manager = isService ? ServiceNotifier.environmentName : nil
        notifier = try ServiceNotifier(name: manager, on: loop)
        vault = try Vault(notifier, isOpen: manager != nil, on: loop, patience: storePatience)
        sensors = Sensors(kernel: kernel, closer: closer, loop: loop)
        door = try NativeDoor(sockets.native, admission: admission, closer: closer, loop: loop)

        // A delay of a millisecond does not matter to a host, and lets the kernel combine wake-ups.
        timer = try loop.timer(accuracy: .milliseconds(1), priority: .important) {
            self.armed = nil
            self.feed(.elapsed)
        }
        sensors.happened = { self.feed($0) }
        sensors.found = { self.take($0) }
        sensors.searchFailed = { self.log.ignored($0) }
        vault.complain = { self.log.cannotKeep($0) }
        openNativeDoor()
        if problems.isEmpty { try openConfigurableDoors() } else { leaveOut(problems) }
        search = try loop.timer(accuracy: .microseconds(1)) { self.locateHosts() }
        saving = try loop.deferred(priority: .normal) { self.saveState() }
        shrinking = try loop.timer(accuracy: .seconds(1), priority: .idle) { self.shrink() }
        statusUpdate = try loop.timer(accuracy: .milliseconds(100), priority: .idle) {
            self.updateStatus()
        }
        if isService {
            for number in [SIGTERM, SIGINT] {
                signals.append(try loop.signal(number) { self.stop() })
            }
            signals.append(try loop.signal(SIGHUP) { self.reload() })
        }
        resume(from: inheritance)
        feed(.started)
        watchConfigured(waits: true)
        takeOver(inheritance)
    }

    /// Opens the doors that the configuration can close, if it wants them.
    ///
    /// Without a socket the daemon can do its work, and reports the reason.
    ///
    /// - Throws: ``SystemdError`` if the event loop cannot take them.
    func openConfigurableDoors() throws(SystemdError) {
        awaitsConfiguration = false
        try openPressureDoor()
        if configuration.offersLowMemoryMonitor, let bus {
            let door = try LowMemoryMonitorDoor(bus, loop: loop)
            door.changed = { self.report($0) }
            lowMemoryMonitor = door
        }
    }

    /// Opens the pressure socket, if the configuration wants it.
    func openPressureDoor() throws(SystemdError) {
        var socket: ListeningSocket?
        do throws(KernelError) {
            socket = try sockets.pressure(configuration.pressureSocket)
            pressureFailure = nil
        } catch {
            pressureFailure = "\(error)"
            log.unavailable("pressure socket", "\(error)")
        }
        guard let socket else { return }
        let door = try PressureDoor(socket, admission: admission, closer: closer, loop: loop)
        door.delegate = self
        pressureDoor = door
        log.opened("pressure socket", at: door.path)
    }

    /// Feeds the policy an input, performs its effects, and feeds it their results.
    ///
    /// An input that an effect adds is processed after the earlier ones.
    func feed(_ input: WarningPolicy.Input) {
        guard !isFeeding else { return inputs.append(input) }
        isFeeding = true
        process(input)
        var next = 0
        while next < inputs.count {
            let input = inputs[next]
            next += 1
            process(input)
        }
        if next > 0 { inputs.removeAll(keepingCapacity: true) }
        isFeeding = false
        guard policy.due != armed else { return }
        armed = policy.due
        if let armed {
            timer?.arm(after: max(.zero, MonotonicInstant.now.duration(to: armed)))
        } else {
            timer?.disarm()
        }
    }

    private func process(_ input: WarningPolicy.Input) {
        policy.handle(input, at: .now, into: &effects)
        guard !effects.list.isEmpty else { return }
        // An effect that feeds the policy only adds to `inputs`, so the buffer is free to be lent out.
        var performed = Effects()
        swap(&performed, &effects)
        for effect in performed.list { perform(effect, performed.recipients) }
        performed.removeAll()
        swap(&performed, &effects)
    }

    /// Shrinks tables that have held many more hosts.
    func shrinkTables() {
        policy.shrink()
        effects.shrink()
        inputs.shrink()
        sensors.shrink()
        sought.shrink()
        vault.shrink()
        door.shrink()
        pressureDoor?.shrink()
    }

    /// The number for a host that is about to register.
    func makeHostID() -> HostID { policy.makeHostID() }

    /// Continues with the numbers and levels of an earlier daemon.
    private func resume(from inheritance: Inheritance) {
        policy.resume(at: .now, afterHost: inheritance.lastHost, levels: inheritance.state?.content.levels ?? [:])
    }

    /// The reason why the host cannot be watched, if it cannot.
    var failure: KernelError? { policy.scopes[0].watch.failure }

    /// Serves until SIGTERM or SIGINT.
    func run() throws(SystemdError) -> CInt {
        lowMemoryMonitor?.begin()
        try notifier.feedWatchdog(from: loop)
        try tellReady()
        defer {
            log.flush()
            notifier.flush(within: .seconds(1))
        }
        return try loop.run()
    }

    /// Releases all references back to this object; without this call a daemon is never destroyed.
    func end() {
        loop.close()
        sensors.end()
        vault.complain = { _ in }
        (observers.gone, observers.deaf) = ({ _ in }, { _ in })
        door.delegate = nil
        pressureDoor?.delegate = nil
        lowMemoryMonitor?.changed = { _ in }
        roundEnded = { _ in }
    }

    private func stop() {
        try? notifier.stopping()
        log.stopped()
        loop.exit(code: 0)
    }

    /// The present state, in one line.
    var status: String {
        let (hosts, rounds) = (policy.hosts.count, policy.rounds.count)
        let summary = "\(policy.scopes.worst); \(counted(hosts, "host")), \(counted(rounds, "round"))"
        return refusal.map { "\(summary); \($0)" } ?? summary
    }

    /// Reports that the daemon serves with the present configuration.
    func tellReady() throws(SystemdError) {
        toldStatus = status
        try notifier.ready(status: toldStatus)
    }

    /// Schedules a status for the service manager, at most one each second: each costs the manager time, and hosts may
    /// come and go without end.
    func scheduleStatus() {
        guard !isStatusDue else { return }
        isStatusDue = true
        let earliest = lastStatus.advanced(by: .seconds(1))
        statusUpdate?.arm(after: max(.zero, MonotonicInstant.now.duration(to: earliest)))
    }

    private func updateStatus() {
        isStatusDue = false
        let status = status
        guard status != toldStatus else { return }
        (lastStatus, toldStatus) = (.now, status)
        // A failed notice to the service manager changes nothing else.
        try? notifier.status(status)
    }

    /// The possible number of peers: the descriptor limit less the daemon's own descriptors.
    private static func peerLimit() -> Int {
        ResourceLimit.descriptors.raise()
        return max(16, Int(clamping: ResourceLimit.descriptors.value.rlim_cur) - ResourceLimit.ownDescriptors)
    }
}
