import MemoryPressure
import Systemd
import WarningPolicy

/// The host, or one cgroup and all below it: its watch and its level.
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
    /// Whether it is watched by configuration, with or without hosts.
    var isConfigured = false
    /// Called from the loop, at most once a reading.
    var handler: (Scope, Event) -> Void = { _, _ in }
    /// Why there is no watch, where there is none.
    private(set) var failure: KernelError?
    /// The level, its reason, and since when; stays what it was last when the watch is lost.
    private(set) var machine: LevelMachine
    /// What it is watched with; `nil` where it is not.
    private(set) var sensor: PressureSensor?

    private let place: SensorPlace
    private let kernel: KernelTree
    /// What the triggers were armed for.
    private var stalls: StallPlan
    private let loop: EventLoop
    private var triggers: [(trigger: PressureSensor.Trigger, source: IOSource)] = []
    private var sampling: TimerSource?

    /// Begins to watch; where there is nothing to be watched, the scope stays at its level and ``failure`` says why.
    init(
        id: UInt64,
        path: String,
        place: SensorPlace,
        kernel: KernelTree,
        policy: SensorPolicy,
        level: PressureLevel = .normal,
        loop: EventLoop
    ) {
        self.id = id
        self.path = path
        self.place = place
        self.kernel = kernel
        self.loop = loop
        stalls = policy.stalls
        machine = LevelMachine(policy: policy.levels, level: level, at: .now)
        do throws(KernelError) {
            let sensor = try PressureSensor(place, in: kernel, policy: policy, level: level)
            try register(sensor)
            self.sensor = sensor
            machine = sensor.machine
            wait()
        } catch {
            failure = error
            triggers = []
        }
    }

    deinit {
        // Before the sensor closes their descriptors.
        triggers = []
    }

    private func register(_ sensor: PressureSensor) throws(KernelError) {
        do throws(SystemdError) {
            // A fifth of the shortest pause late is soon enough, and lets the kernel join wake-ups.
            sampling = try loop.timer(accuracy: .milliseconds(20), priority: .important) { [unowned self] in
                step { sensor throws(KernelError) in try sensor.tick() }
            }
            for (trigger, descriptor) in sensor.descriptors {
                // PSI files are always readable: only PRI is an event, and ERR comes unasked.
                let priority = trigger == .stalls(.full) ? EventLoop.Priority.urgent : .important
                let source = try loop.watch(descriptor, for: .priority, priority: priority) { [unowned self] ready in
                    triggered(trigger, ready)
                }
                triggers.append((trigger, source))
            }
        } catch {
            throw KernelError("wait for events of", path, errno: error.errno)
        }
    }

    var level: PressureLevel { machine.level }

    /// Takes new rules over, and arms the triggers anew if they are to fire for something else; the level stays.
    ///
    /// - Throws: ``KernelError`` if they cannot be armed so. The old ones stay, with the new rules for what they report.
    func follow(_ policy: SensorPolicy) throws(KernelError) {
        guard let sensor else { return }
        sensor.follow(policy)
        machine = sensor.machine
        guard policy.stalls != stalls else { return }
        // Both are open for a moment, so that a failure leaves the scope watched.
        let next = try PressureSensor(place, in: kernel, policy: policy, level: level)
        next.goOn(from: sensor)
        triggers = []
        do throws(KernelError) {
            try register(next)
        } catch {
            triggers = []
            // The loop had room for these a moment ago.
            if (try? register(sensor)) == nil { return lose() }
            wait()
            throw error
        }
        self.sensor = next
        stalls = policy.stalls
        wait()
    }

    /// Does what it does when a trigger fires, and when a pause is over.
    func rehearse() {
        step { sensor throws(KernelError) in try sensor.event(.stalls(.some)) }
        step { sensor throws(KernelError) in try sensor.tick() }
    }

    /// How it stands now; `nil` if it is not watched.
    func look() -> ScopeLook? {
        guard let now = sensor?.look() else { return nil }
        return ScopeLook(at: .now, stalls: now.stalls, headroom: now.headroom)
    }

    /// What was read when the level changed, and what is left now if that was not read.
    var figures: ScopeFigures {
        let reading = sensor?.reading
        let headroom = level > .normal ? reading?.headroom ?? sensor?.headroom() : nil
        return ScopeFigures(stalls: reading?.stalls?.some ?? .zero, headroom: headroom)
    }

    private func triggered(_ trigger: PressureSensor.Trigger, _ ready: IOEvents) {
        // ERR comes together with PRI, and at every poll from now on: a dead PSI file must be let go, or the loop spins.
        if trigger != .limits, ready.contains(.error) { return lose() }
        step { sensor throws(KernelError) in try sensor.event(trigger) }
    }

    private func step(_ body: (PressureSensor) throws(KernelError) -> LevelMachine.Change?) {
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

    /// Waits for what comes next: triggers while the scope is calm, which cost nothing, or the next look.
    private func wait() {
        guard let sensor else { return }
        let wanted = sensor.triggers.map(\.trigger)
        var pause = sensor.pause
        for (trigger, source) in triggers {
            guard wanted.contains(trigger) else {
                source.disable()
                continue
            }
            do throws(SystemdError) {
                try source.enable()
            } catch {
                // Without its triggers the scope has to be read for good.
                pause = sensor.window
            }
        }
        guard let pause else {
            sampling?.disarm()
            return
        }
        sampling?.arm(after: pause)
    }

    private func lose() {
        triggers = []
        sampling = nil
        sensor = nil
        handler(self, .lost)
    }
}
