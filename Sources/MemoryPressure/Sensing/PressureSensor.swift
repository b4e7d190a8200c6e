/// The level of one scope, from all the kernel says about it.
///
/// It does not wait by itself. Its owner polls ``triggers`` for `POLLPRI`, and calls ``event(_:)`` for each that
/// fires and ``tick()`` when it is ``due``; after each call it looks at both again, because they change. While the scope
/// is calm and far from its limits there are triggers only, which cost nothing at rest. While it is not, exact readings
/// decide, once a window, and the triggers have nothing to add.
///
/// The files are ``SensorFiles``, the rules ``PressureJudge``. Used by one thread at a time.
package final class PressureSensor {
    /// What a descriptor stands for that is polled.
    package enum Trigger: Hashable, Sendable {
        /// Stalls of one kind. `POLLERR` says that the file is dead.
        case stalls(PressureStall.Kind)
        /// The cgroup's limits. `POLLERR` comes with every event and says nothing.
        case limits
    }

    private let files: SensorFiles
    private var judge: PressureJudge

    /// Opens all there is on the best rung, and starts at a level, which is held until readings say otherwise.
    ///
    /// - Throws: ``KernelError`` if there is nothing to be watched.
    package init(
        _ place: SensorPlace,
        in tree: KernelTree = .live,
        policy: SensorPolicy = SensorPolicy(),
        level: PressureLevel = .normal
    ) throws(KernelError) {
        let files = try SensorFiles(place, in: tree, policy: policy)
        self.files = files
        judge = PressureJudge(
            rung: files.rung,
            window: files.window,
            policy: policy,
            level: level,
            first: files.first
        )
    }

    /// The sensor of the cgroup that this process is in, or of the host where that cannot be watched; `nil` where neither can.
    package static func ofThisProcess(
        in tree: KernelTree = .live,
        policy: SensorPolicy = SensorPolicy(),
        level: PressureLevel = .normal
    ) -> PressureSensor? {
        let own = (try? SensorPlace.of(.current, in: tree)) ?? .host
        for place in own.cgroup == nil ? [.host] : [own, .host] {
            if let sensor = try? PressureSensor(place, in: tree, policy: policy, level: level) { return sensor }
        }
        return nil
    }

    /// Where its files are.
    package var place: SensorPlace { files.place }
    /// The rung of the ladder.
    package var rung: Rung { files.rung }
    /// Why it stands no higher; empty on the top rung.
    package var rungReason: String { files.rungReason }
    /// The level, its reason, and since when.
    package var machine: LevelMachine { judge.machine }
    /// The reading that was judged last.
    package var reading: PressureReading? { judge.reading }
    /// How often the limits were met so far.
    package var limitEvents: MemoryEvents { judge.limitEvents }
    /// Events that were not believed.
    package var suppressed: UInt64 { judge.suppressed }

    // MARK: What to wait for

    /// All descriptors that ``triggers`` may name; valid as long as this object lives.
    package var descriptors: [(trigger: Trigger, descriptor: CInt)] { files.descriptors }

    /// Whether exact readings on a timer decide now; always where there is no trigger.
    package var isSampling: Bool { judge.isSampling }

    /// How often to read while ``isSampling``.
    package var window: Duration { files.window }

    /// When ``tick()`` is due; `nil` if not before an event.
    package var due: MonotonicInstant? { judge.due }

    /// What to poll for `POLLPRI` now.
    package var triggers: [(trigger: Trigger, descriptor: CInt)] {
        let heard = judge.heard(of: .all)
        return descriptors.filter { heard.contains($0.trigger) }
    }

    // MARK: Readings

    /// A trigger fired.
    ///
    /// - Returns: What there is to announce, if the event is believed and changes anything.
    /// - Throws: ``KernelError``: the scope's files are gone, and the sensor of no more use.
    package func event(_ trigger: Trigger) throws(KernelError) -> LevelMachine.Change? {
        try judge.handle(.event(trigger), at: .now) { (reads) throws(KernelError) in try files.read(reads) }
    }

    /// It is time to look.
    ///
    /// - Throws: As ``event(_:)``.
    package func tick() throws(KernelError) -> LevelMachine.Change? {
        let wasSampling = isSampling
        let change = try judge.handle(.tick, at: .now) { (reads) throws(KernelError) in try files.read(reads) }
        if wasSampling, !isSampling { files.discardPendingEvents() }
        return change
    }

    /// How the scope stands now; changes nothing.
    package func look() -> (stalls: PressureStall?, headroom: Headroom?) {
        ((try? files.read(.stalls))?.stalls, headroom())
    }

    /// What is left now; `nil` where there is no limit, or it cannot be told.
    package func headroom() -> Headroom? { (try? files.read(.headroom))?.headroom }

    /// Goes on from another sensor of the same scope: its level, the reason for it, and since when.
    package func goOn(from sensor: PressureSensor) {
        judge.goOn(from: sensor.machine)
    }

    /// New rules, from the next reading on.
    ///
    /// Thresholds of triggers that are armed stay.
    package func follow(_ policy: SensorPolicy) {
        judge.policy.levels = policy.levels
    }
}
