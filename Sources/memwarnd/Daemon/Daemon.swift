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
    /// What is to be done about pressure.
    private(set) var policy: WarningPolicy
    let sensors: Sensors
    let door: NativeDoor
    /// The socket for `$MEMORY_PRESSURE_WATCH`, where there is one.
    let pressureDoor: PressureDoor?
    /// The name on D-Bus, where it is wanted.
    let lowMemoryMonitor: LowMemoryMonitorDoor?
    /// Why there is no pressure socket though one is wanted.
    let pressureFailure: String?
    /// Who may warn and command everybody's hosts.
    var rights = ControlRights.current()
    /// Decides which newcomers may come in.
    let admission: Admission
    /// Closes what may take long to close.
    let closer: DescriptorCloser
    let log: DeferredLog
    let notifier: ServiceNotifier
    /// What is kept over a restart.
    let vault: Vault
    /// What is gone by now.
    var configuration: Settings
    /// Where the configuration is read from.
    var configurationPath = Settings.systemPath
    /// Reads the configuration anew, from there.
    var load: () throws(Failure) -> Settings
    /// Why the configuration that was read last is not gone by, if it is not.
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
    var sought: [HostID] = []
    /// Looks for them between what is more important.
    private(set) var search: TimerSource?
    /// Called with each round that is over.
    var roundEnded: (RoundRecord) -> Void = { _ in }
    /// What happened and the policy has not heard of yet, the oldest first.
    private var inputs: [WarningPolicy.Input] = []
    private var effects = Effects()
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
    /// `bus` is where to ask for low-memory-monitor's name, if it is wanted at all. One that is no service says nothing to
    /// the service manager, and leaves the signals to the program that it is a part of. Hosts that
    /// come back by themselves are kept over a restart once they have stayed for `storePatience`.
    ///
    /// - Throws: ``SystemdError`` where the event loop cannot be set up.
    init(
        configuration: Settings,
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
        load = { configuration }
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
        pressureDoor = try sockets.pressure.map { (socket) throws(SystemdError) in
            try PressureDoor(socket, admission: admission, closer: closer, loop: loop)
        }
        pressureFailure = sockets.pressureFailure
        lowMemoryMonitor = try bus.map { (kind) throws(SystemdError) in try LowMemoryMonitorDoor(kind, loop: loop) }

        // A millisecond late is no later to a host, and lets the kernel join wake-ups.
        timer = try loop.timer(accuracy: .milliseconds(1), priority: .important) { [unowned self] in feed(.elapsed) }
        sensors.happened = { [unowned self] in feed($0) }
        vault.complain = { [unowned self] in log.cannotKeep($0) }
        openDoors()
        search = try loop.timer(accuracy: .microseconds(1)) { [unowned self] in locateHosts() }
        statusUpdate = try loop.timer(accuracy: .milliseconds(100), priority: .idle) { [unowned self] in
            updateStatus()
        }
        if isService {
            for number in [SIGTERM, SIGINT] {
                signals.append(try loop.signal(number) { [unowned self] in stop() })
            }
            signals.append(try loop.signal(SIGHUP) { [unowned self] in reload() })
        }
        goOn(from: inheritance)
        feed(.started)
        watchConfigured()
        takeOver(inheritance)
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

    /// The number for a host that is about to register.
    func makeHostID() -> HostID { policy.makeHostID() }

    /// Goes on with the numbers and levels of a daemon before this one.
    private func goOn(from inheritance: Inheritance) {
        let state = inheritance.state?.content
        // The state is saved after warnings are sent, so that the daemon may have been killed in a round that is not in it.
        // An answer to that one must not be taken for an answer to the first of ours.
        policy.goOn(
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

    private func stop() {
        try? notifier.stopping()
        log.stopped()
        loop.exit(code: 0)
    }

    /// How it stands, in one line.
    var status: String {
        let summary = "\(policy.scopes.worst); \(policy.hosts.count) hosts, \(policy.rounds.lastID) rounds"
        return refusal.map { "\(summary); the configuration is refused, the old one stays: \($0)" } ?? summary
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
