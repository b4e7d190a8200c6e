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
    /// The hosts whose own cgroup this is, in order of their ids.
    var hosts: [Host] = []
    /// Called from the loop, at most once a reading.
    var handler: (Scope, Event) -> Void = { _, _ in }
    /// Why there is no watch, where there is none.
    private(set) var failure: KernelError?

    private let loop: EventLoop
    private let headroom: () -> Share?
    private var sensor: StallSensor?
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
        machine = LevelMachine(policy: policy, at: .now)
        do throws(KernelError) {
            sensor = try StallSensor(opening: pressure, plan: plan, policy: policy)
            try register(pressure)
        } catch {
            failure = error
        }
    }

    deinit {
        // Before the sensor closes their descriptors.
        triggers = []
    }

    private func register(_ pressure: String) throws(KernelError) {
        guard let window else { return }
        do throws(SystemdError) {
            // A tenth of the window late is still the same window, and lets the kernel join wake-ups.
            sampling = try loop.timer(accuracy: window / 10, priority: .important) { [unowned self] in tick() }
            for (kind, descriptor) in sensor?.triggers ?? [] {
                // PSI files are always readable: only PRI is an event, and ERR comes unasked.
                let source = try loop.watch(descriptor, for: .priority, priority: .important) { [unowned self] ready in
                    triggered(kind, ready)
                }
                triggers.append(source)
            }
        } catch {
            throw KernelError("wait for events of", pressure, errno: error.errno)
        }
        wait()
    }

    /// The level, its reason, and since when; stays what it was last when the watch is lost.
    private(set) var machine: LevelMachine
    var level: PressureLevel { machine.level }
    /// How it is watched; `nil` where it is not.
    var rung: StallWatch.Rung? { sensor?.rung }
    var rungReason: String { sensor?.rungReason ?? failure.map { "\($0)" } ?? "" }
    var window: Duration? { sensor?.window }
    /// Events that were not believed.
    var suppressed: UInt64 { sensor?.suppressed ?? 0 }

    /// A reading of now; `nil` if there is none to be had.
    func reading() -> PressureStall? {
        try? sensor?.read()
    }

    private func triggered(_ kind: PressureStall.Kind, _ ready: IOEvents) {
        // ERR comes together with PRI, and at every poll from now on: a dead file must be let go, or the loop spins.
        if ready.contains(.error) { return lose() }
        step { sensor throws(KernelError) in try sensor.event(kind) }
    }

    private func tick() {
        step { sensor throws(KernelError) in try sensor.tick() }
    }

    private func step(_ body: (StallSensor) throws(KernelError) -> LevelMachine.Change?) {
        guard let sensor else { return }
        do throws(KernelError) {
            let change = try body(sensor)
            machine = sensor.machine
            // The warnings first; what the scope does next can wait for them.
            if let change { handler(self, .level(change)) }
            wait()
        } catch {
            lose()
        }
    }

    /// Waits for what comes next: a trigger while the scope is calm, which costs nothing, or the next window.
    private func wait() {
        guard let window, sensor?.isSampling == false else {
            for trigger in triggers { trigger.disable() }
            if let window { sampling?.arm(after: window) }
            return
        }
        sampling?.disarm()
        for trigger in triggers {
            do throws(SystemdError) {
                try trigger.enable()
            } catch {
                // Without its triggers the scope has to be read for good.
                sampling?.arm(after: window)
            }
        }
    }

    private func lose() {
        triggers = []
        sampling = nil
        sensor = nil
        handler(self, .lost)
    }
}
