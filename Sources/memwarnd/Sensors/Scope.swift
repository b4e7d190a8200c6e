import MemoryPressure
import Systemd

/// The host, or one cgroup and all below it: its watch, its level, and the hosts that live directly in it.
final class Scope {
    /// What happened in a scope.
    enum Event {
        /// Its level changed or is due to be told again.
        case level(LevelMachine.Change)
        /// Its files are gone: the cgroup was removed, or its accounting switched off.
        case lost
    }

    let id: UInt64
    /// `/` is the whole host, anything else a cgroup's path.
    let path: String
    /// The hosts whose own cgroup this is, in order of registration.
    var hosts: [Host] = []
    /// Called from the loop, at most once a reading.
    var handler: (Scope, Event) -> Void = { _, _ in }
    private(set) var machine: LevelMachine
    /// Why there is no watch, where there is none.
    private(set) var failure: KernelError?

    private let loop: EventLoop
    private let headroom: () -> Share?
    private var watch: StallWatch?
    private var meter: StallMeter?
    private var triggers: [IOSource] = []
    private var sampling: TimerSource?

    /// Begins to watch a PSI file; where it cannot be read, the scope stays at normal and ``failure`` says why.
    ///
    /// `headroom` is asked at every reading for what is left to the scope's limit.
    init(
        id: UInt64,
        path: String,
        pressure: String,
        policy: LevelPolicy,
        plan: StallPlan,
        loop: EventLoop,
        headroom: @escaping () -> Share? = { nil }
    ) {
        self.id = id
        self.path = path
        self.loop = loop
        self.headroom = headroom
        let now = MonotonicInstant.now
        machine = LevelMachine(policy: policy, at: now)
        do throws(KernelError) {
            let opened = try StallWatch(opening: pressure, plan: plan)
            meter = StallMeter(rung: opened.rung, window: opened.window, plan: plan, first: try opened.read(), at: now)
            watch = consume opened
        } catch {
            failure = error
        }
        do throws(SystemdError) {
            try register()
        } catch {
            failure = KernelError("wait for events of", pressure, errno: error.errno)
        }
    }

    private func register() throws(SystemdError) {
        guard let window else { return }
        // A tenth of the window late is still the same window, and lets the kernel join wake-ups.
        let timer = try loop.timer(accuracy: window / 10, priority: .important) { [unowned self] in tick() }
        for (kind, descriptor) in watch?.triggers ?? [] {
            // PSI files are always readable: only PRI is an event, and ERR comes unasked.
            let source = try loop.watch(descriptor, for: .priority, priority: .important) { [unowned self] ready in
                triggered(kind, ready)
            }
            triggers.append(source)
        }
        sampling = timer
        if triggers.isEmpty { timer.arm(after: window) }
    }

    var level: PressureLevel { machine.level }
    /// How it is watched; `nil` where it is not.
    var rung: StallWatch.Rung? { watch?.rung }
    var rungReason: String { watch?.rungReason ?? failure.map { "\($0)" } ?? "" }
    var window: Duration? { watch?.window }
    /// Events that were not believed.
    var suppressed: UInt64 { meter?.suppressed ?? 0 }

    /// A reading of now; `nil` if there is none to be had.
    func reading() -> PressureStall? {
        try? watch?.read()
    }

    private func triggered(_ kind: PressureStall.Kind, _ ready: IOEvents) {
        // ERR comes together with PRI, and at every poll from now on: a dead file must be let go, or the loop spins.
        if ready.contains(.error) { return lose() }
        guard let stall = read() else { return }
        guard let sample = meter?.event(kind, stall, at: .now) else { return }
        // From here on a timer reads exact shares, until the scope is calm again; the triggers have nothing to add.
        for trigger in triggers { trigger.disable() }
        if let window { sampling?.arm(after: window) }
        feed(sample)
    }

    private func tick() {
        guard let stall = read(), let sample = meter?.tick(stall, at: .now) else { return }
        if let window { sampling?.arm(after: window) }
        feed(sample)
    }

    private func feed(_ sample: StallSample) {
        let change = machine.feed(.init(sample, headroom: headroom()))
        if !machine.needsReadings { rest() }
        if let change { handler(self, .level(change)) }
    }

    /// Back to the triggers, which cost nothing while the scope is calm.
    private func rest() {
        guard !triggers.isEmpty else { return }
        sampling?.disarm()
        watch?.discardPendingEvents()
        for trigger in triggers {
            do throws(SystemdError) {
                try trigger.enable()
            } catch {
                // Without its triggers the scope has to be read for good.
                if let window { sampling?.arm(after: window) }
            }
        }
    }

    private func read() -> PressureStall? {
        do throws(KernelError) {
            return try watch?.read()
        } catch {
            lose()
            return nil
        }
    }

    private func lose() {
        triggers = []
        sampling = nil
        meter = nil
        watch = nil
        handler(self, .lost)
    }
}
