/// The level of one scope, derived from all of the kernel's figures.
///
/// It does not wait. Its owner polls ``triggers`` for `POLLPRI`, and calls ``event(_:)`` for each that fires and
/// ``tick()`` when it is ``due``; the owner reads both again after each call, because they change. While the scope is
/// calm and far from its limits there are only triggers, which cost nothing at rest. Otherwise exact readings decide,
/// once a window, and the triggers add nothing.
///
/// The files are ``SensorFiles``, the rules ``PressureJudge``. Used by one thread at a time.
package final class PressureSensor {
    /// The meaning of a polled descriptor.
    package enum Trigger: Hashable, Sendable {
        /// Stalls of one kind. `POLLERR` means that the file is dead.
        case stalls(PressureStall.Kind)
        /// The cgroup's limits. `POLLERR` accompanies every event and means nothing.
        case limits
    }

    private let files: SensorFiles
    private var judge: PressureJudge

    /// Opens all available files on the best rung, and starts at a level that lasts until readings change it.
    ///
    /// - Throws: ``KernelError`` if nothing can be watched.
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

    /// The sensor of the cgroup that this process is in, or of the host if that cannot be watched; `nil` if neither
    /// can.
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

    /// The location of its files.
    package var place: SensorPlace { files.place }
    /// The rung of the ladder.
    package var rung: Rung { files.rung }
    /// Why the rung is no higher; empty on the top rung.
    package var rungReason: String { files.rungReason }
    /// The level, its reason, and when it began.
    package var machine: LevelMachine { judge.machine }
    /// The last judged reading.
    package var reading: PressureReading? { judge.reading }
    /// How often the limits were reached so far.
    package var limitEvents: MemoryEvents { judge.limitEvents }
    /// The number of events that were not believed.
    package var suppressed: UInt64 { judge.suppressed }

    // MARK: What to wait for

    /// All descriptors that ``triggers`` may name; valid as long as this object lives.
    package var descriptors: [(trigger: Trigger, descriptor: CInt)] { files.descriptors }

    /// Whether exact readings on a timer decide now; always `true` without triggers.
    package var isSampling: Bool { judge.isSampling }

    /// The interval between readings while ``isSampling``.
    package var window: Duration { files.window }

    /// When ``tick()`` is due; `nil` if not before an event.
    package var due: MonotonicInstant? { judge.due }

    /// The descriptors to poll for `POLLPRI` now.
    package var triggers: [(trigger: Trigger, descriptor: CInt)] {
        let wanted = judge.wanted(among: .all)
        return descriptors.filter { wanted.contains($0.trigger) }
    }

    // MARK: Readings

    /// Handles an event of a trigger.
    ///
    /// - Returns: The change to announce, if the event is believed and changes the level.
    /// - Throws: ``KernelError``: the scope's files are gone, and the sensor is useless from now on.
    package func event(_ trigger: Trigger) throws(KernelError) -> LevelMachine.Change? {
        try judge.handle(.event(trigger), at: .now) { (reads) throws(KernelError) in try files.read(reads) }
    }

    /// Handles the expiry of ``due``.
    ///
    /// - Throws: As ``event(_:)``.
    package func tick() throws(KernelError) -> LevelMachine.Change? {
        let wasSampling = isSampling
        let change = try judge.handle(.tick, at: .now) { (reads) throws(KernelError) in try files.read(reads) }
        if wasSampling, !isSampling { files.discardPendingEvents() }
        return change
    }

    /// Reads the present figures of the scope; changes nothing.
    package func look() -> (stalls: PressureStall?, headroom: Headroom?) {
        ((try? files.read(.stalls))?.stalls, headroom())
    }

    /// The present headroom; `nil` if there is no limit, or it cannot be read.
    package func headroom() -> Headroom? { (try? files.read(.headroom))?.headroom }

    /// Takes over the state of another sensor of the same scope, as the judge does.
    package func resume(from sensor: PressureSensor) {
        judge.resume(from: sensor.machine, after: sensor.judge)
    }

    /// Applies new rules from the next reading on.
    ///
    /// Armed triggers keep their thresholds.
    package func follow(_ policy: SensorPolicy) {
        judge.policy.levels = policy.levels
    }
}
