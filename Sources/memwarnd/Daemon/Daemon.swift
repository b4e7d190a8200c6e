import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import MemwarnSettings
import Systemd
import WarningPolicy

/// The daemon: readings become levels, levels become rounds, rounds become warnings, answers become the ledger.
///
/// One thread, one event loop; everything here is called from it.
final class Daemon {
    let loop: EventLoop
    let started = MonotonicInstant.now
    /// The policy of the daemon.
    private(set) var policy: WarningPolicy
    let sensors: Sensors
    let door: NativeDoor
    /// The socket for `$MEMORY_PRESSURE_WATCH`, where there is one.
    private(set) var pressureDoor: PressureDoor?
    /// The name on D-Bus, where it is wanted.
    private(set) var lowMemoryMonitor: LowMemoryMonitorDoor?
    /// Why there is no pressure socket though one is wanted.
    private(set) var pressureFailure: String?
    /// Whether the two doors that the configuration can close stay closed until all of it is known.
    private(set) var awaitsConfiguration: Bool
    private let sockets: ListeningSockets
    private let bus: Bus.Kind?
    /// The users that may warn and command the hosts of all users.
    var rights = ControlRights.current()
    /// Decides which newcomers may come in.
    let admission: Admission
    /// Closes what may take long to close.
    let closer: DescriptorCloser
    let log: DeferredLog
    let notifier: ServiceNotifier
    /// The state that is kept over a restart.
    let vault: Vault
    /// The configuration in force.
    var configuration: Settings
    /// Where the configuration is read from.
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
    /// The peers that subscribed; a list of their own, since it is asked for with every newcomer among thousands of peers.
    let observers: Observers
    /// Hosts that are to be looked for.
    var sought: ArraySlice<HostSearch.Subject> = []
    /// Looks for them between what is more important.
    private(set) var search: TimerSource?
    /// Called with each round that is over.
    var roundEnded: (RoundRecord) -> Void = { _ in }
    /// The inputs that the policy has not processed yet, the oldest first.
    private var inputs: [WarningPolicy.Input] = []
    private var effects = Effects()
    /// Gives memory back that hosts took which have left.
    private(set) var shrinking: TimerSource?
    var isShrinkingDue = false
    private var isFeeding = false
    private var timer: TimerSource?
    /// Whether the log has told that processes of other users are hidden.
    var knowsOfHiding = false
    /// How often the log tells of peers that break the rules.
    var complaints = Allowance.complaints(at: .now)
    /// How many of them the log was not told of since the last that it was.
    var withheldComplaints: UInt64 = 0

    /// Watches the host and opens the doors, and goes on where an earlier daemon was; nothing else happens until ``run()``.
    ///
    /// `bus` is where to request low-memory-monitor's name, if the configuration wants it. A daemon that is not a
    /// service sends nothing to the service manager, and leaves the signals to the program that contains it. Hosts that
    /// reconnect by themselves are kept over a restart once they have stayed for `storePatience`.
    ///
    /// Where something is wrong with the configuration's files, the doors that it can close stay closed.
    ///
    /// - Throws: ``SystemdError`` where the event loop cannot be set up.
    init(
        configuration: Settings,
        problems: [ConfigurationProblem] = [],
        kernel: KernelTree,
        sockets: ListeningSockets,
        bus: Bus.Kind? = nil,
        inheritance: Inheritance = Inheritance(),
        journal: Journal,
        isService: Bool = true,
        storePatience: Duration = StorePolicy.patience
    ) throws(SystemdError) {
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

        // A millisecond late is no later to a host, and lets the kernel join wake-ups.
        timer = try loop.timer(accuracy: .milliseconds(1), priority: .important) { self.feed(.elapsed) }
        sensors.happened = { self.feed($0) }
        sensors.found = { self.take($0) }
        sensors.searchFailed = { self.log.ignored($0) }
        vault.complain = { self.log.cannotKeep($0) }
        openNativeDoor()
        if problems.isEmpty { try openConfigurableDoors() } else { leaveOut(problems) }
        search = try loop.timer(accuracy: .microseconds(1)) { self.locateHosts() }
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
        goOn(from: inheritance)
        feed(.started)
        watchConfigured(waits: true)
        takeOver(inheritance)
    }

    /// Opens the doors that the configuration can close, as far as it wants them.
    ///
    /// Without a socket the daemon can do its work, and says what is wrong with it.
    ///
    /// - Throws: ``SystemdError`` where the event loop cannot take them.
    func openConfigurableDoors() throws(SystemdError) {
        awaitsConfiguration = false
        var pressureSocket: ListeningSocket?
        do throws(KernelError) {
            pressureSocket = try sockets.pressure(configuration.pressureSocket)
        } catch {
            pressureFailure = "\(error)"
            log.unavailable("pressure socket", "\(error)")
        }
        if let pressureSocket {
            let door = try PressureDoor(pressureSocket, admission: admission, closer: closer, loop: loop)
            door.delegate = self
            pressureDoor = door
            log.opened("pressure socket", at: door.path)
        }
        if configuration.offersLowMemoryMonitor, let bus {
            let door = try LowMemoryMonitorDoor(bus, loop: loop)
            door.changed = { self.report($0) }
            lowMemoryMonitor = door
        }
    }

    /// Tells the policy what happened, does what it wants done, and tells it what came of that.
    ///
    /// An effect that feeds the policy itself is heard after those before it.
    func feed(_ input: WarningPolicy.Input) {
        inputs.append(input)
        guard !isFeeding else { return }
        isFeeding = true
        var next = 0
        while next < inputs.count {
            let input = inputs[next]
            next += 1
            policy.handle(input, at: .now, into: &effects)
            // Effects that feed the policy add to `inputs` alone, so the buffer can be lent out.
            var performed = Effects()
            swap(&performed, &effects)
            for effect in performed.list { perform(effect, performed.recipients) }
            performed.removeAll()
            swap(&performed, &effects)
        }
        inputs.removeAll(keepingCapacity: true)
        isFeeding = false
        if let due = policy.due {
            timer?.arm(after: max(.zero, MonotonicInstant.now.duration(to: due)))
        } else {
            timer?.disarm()
        }
    }

    /// Makes tables smaller that far more hosts were in.
    func shrinkTables() {
        policy.shrink()
        effects.shrink()
        inputs.shrink()
        if sought.isEmpty { sought = [] }
        vault.shrink()
        door.shrink()
        pressureDoor?.shrink()
    }

    /// The number for a host that is about to register.
    func makeHostID() -> HostID { policy.makeHostID() }

    /// Goes on with the numbers and levels of a daemon before this one.
    private func goOn(from inheritance: Inheritance) {
        let state = inheritance.state?.content
        // The state is saved after warnings are sent, so that the daemon may have been killed in a round that is not in it.
        // An answer to that one must not be taken for an answer to the first of ours.
        policy.resume(
            afterRound: state.map { $0.lastRound + 1 } ?? 0,
            host: inheritance.lastHost,
            levels: state?.levels ?? [:]
        )
    }

    /// Why the host cannot be watched, if it cannot.
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

    /// Lets go of all that leads back here; a daemon that was made and not ended stays for good.
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

    /// How it stands, in one line.
    var status: String {
        let (hosts, rounds) = (policy.hosts.count, policy.rounds.lastID)
        let summary = "\(policy.scopes.worst); \(counted(hosts, "host")), \(counted(rounds, "round"))"
        return refusal.map { "\(summary); \($0)" } ?? summary
    }

    /// Says that it serves, by the configuration that there is now.
    func tellReady() throws(SystemdError) {
        toldStatus = status
        try notifier.ready(status: toldStatus)
    }

    /// Has the service manager told the present status, a second after the last time at the earliest: each costs it time,
    /// and hosts may come and go without end.
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
        // A service manager that does not listen is no reason to do anything else.
        try? notifier.status(status)
    }

    /// As many peers as there may be descriptors, less its own.
    private static func peerLimit() -> Int {
        ResourceLimit.descriptors.raise()
        return max(16, Int(clamping: ResourceLimit.descriptors.value.rlim_cur) - ResourceLimit.ownDescriptors)
    }
}
