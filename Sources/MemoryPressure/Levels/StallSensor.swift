/// The level of one scope, from its PSI file: triggers while it is calm, readings on a timer while it is not.
///
/// It does not wait by itself. Whoever owns it polls ``triggers`` for `POLLPRI` while ``isSampling`` is false, and calls
/// ``tick(headroom:)`` every ``window`` while it is true; after each call it looks at ``isSampling`` again.
package final class StallSensor {
    private let watch: StallWatch
    private var meter: StallMeter
    /// The level, its reason, and since when.
    package private(set) var machine: LevelMachine
    /// Whether readings on a timer are needed now; always on the lowest rung.
    package private(set) var isSampling: Bool

    /// Opens a PSI file on the best rung and starts at a level, which is held until readings say otherwise.
    ///
    /// - Throws: ``KernelError`` if there is no PSI for this scope.
    package init(
        opening path: String,
        plan: StallPlan,
        policy: LevelPolicy,
        level: PressureLevel = .normal
    ) throws(KernelError) {
        let watch = try StallWatch(opening: path, plan: plan)
        let now = MonotonicInstant.now
        meter = StallMeter(rung: watch.rung, window: watch.window, plan: plan, first: try watch.read(), at: now)
        let machine = LevelMachine(policy: policy, level: level, at: now)
        // Not through self: `||` would capture it before it is whole, and Swift 6.3 then destroys a watch that is not
        // there yet, which closes descriptor 0.
        isSampling = watch.rung == .polling || machine.needsReadings
        self.machine = machine
        self.watch = watch
    }

    /// What to poll for `POLLPRI`, and which line an event is about.
    package var triggers: [(kind: PressureStall.Kind, descriptor: CInt)] { watch.triggers }
    /// How often to read while ``isSampling``.
    package var window: Duration { watch.window }
    /// The rung of the ladder.
    package var rung: StallWatch.Rung { watch.rung }
    /// Why it stands no higher.
    package var rungReason: String { watch.rungReason }
    /// Events that were not believed.
    package var suppressed: UInt64 { meter.suppressed }

    /// A reading of now, which changes nothing.
    package func read() throws(KernelError) -> PressureStall {
        try watch.read()
    }

    /// A trigger woke its poller.
    ///
    /// - Returns: what there is to announce, if the event is believed and changes anything.
    /// - Throws: ``KernelError``: the file is dead, and the sensor of no more use.
    package func event(
        _ kind: PressureStall.Kind
    ) throws(KernelError) -> LevelMachine.Change? {
        let now = MonotonicInstant.now
        guard let shares = meter.event(kind, try watch.read(), at: now) else { return nil }
        // From here on exact readings decide, until the scope is calm again; the triggers have nothing to add.
        isSampling = true
        return feed(PressureReading(at: now, stalls: shares))
    }

    /// The window has passed since the last reading.
    ///
    /// - Throws: as ``event(_:headroom:)``.
    package func tick() throws(KernelError) -> LevelMachine.Change? {
        let now = MonotonicInstant.now
        return feed(PressureReading(at: now, stalls: meter.tick(try watch.read(), at: now)))
    }

    private func feed(_ reading: PressureReading) -> LevelMachine.Change? {
        let change = machine.feed(reading)
        if isSampling, !machine.needsReadings, watch.rung != .polling {
            watch.discardPendingEvents()
            isSampling = false
        }
        return change
    }
}
