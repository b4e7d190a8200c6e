/// The rules of a sensor: what it waits for, what it reads when, and what it makes of that.
///
/// A value without a file or a clock of its own. ``PressureSensor`` has it judge what the kernel says, and a replay what
/// the kernel once said, by the same rules.
package struct PressureJudge {
    /// The rung of the ladder.
    package let rung: Rung
    /// How often to read while ``isSampling``.
    package let window: Duration
    /// The level, its reason, and since when.
    package private(set) var machine: LevelMachine
    /// The reading that was judged last.
    package private(set) var reading: PressureReading?
    /// How often the limits were met so far.
    package private(set) var limitEvents: MemoryEvents
    /// The rules; new ones count from the next reading on, but the meter keeps the thresholds that it began with.
    package var policy: SensorPolicy {
        didSet { machine.policy = policy.levels }
    }

    private var meter: StallMeter?
    /// Counts of reclaim at the last tick, to be held against the next ones.
    private var reclaim: (counters: ReclaimCounters, at: MonotonicInstant)?
    private var pace = HeadroomPace()
    /// Until when limits that are met all the time without being short are not listened to.
    private var isMuted = false
    private var samplingPause: Duration?
    /// When the scope became calm; `nil` if it always was.
    private var relief: MonotonicInstant?

    /// Starts from what the scope's files said first, at a level that is held until readings say otherwise.
    package init(
        rung: Rung,
        window: Duration,
        policy: SensorPolicy,
        level: PressureLevel = .normal,
        first: SensorReadings
    ) {
        self.rung = rung
        self.window = window
        self.policy = policy
        machine = LevelMachine(policy: policy.levels, level: level, at: first.at)
        limitEvents = first.limitEvents ?? MemoryEvents()
        if let stalls = first.stalls, rung.hasStalls {
            meter = StallMeter(rung: rung, window: window, plan: policy.stalls, first: stalls, at: first.at)
        }
        note(first.headroom, at: first.at)
    }

    /// Goes on from another judge of the same scope: its level, the reason for it, and since when.
    mutating func goOn(from other: LevelMachine) {
        machine = other
        machine.policy = policy.levels
    }

    // MARK: What to wait for

    /// Whether exact readings on a timer decide now; always where there is no trigger.
    package var isSampling: Bool { machine.needsReadings || rung == .polling }

    /// When a tick is due, from the last call on; `nil` if not before an event.
    package var pause: Duration? {
        if isSampling { return window }
        return [samplingPause, isMuted ? Self.mute : nil].compactMap(\.self).min()
    }

    /// Whether this trigger's events are waited for now.
    package func listens(to trigger: PressureSensor.Trigger) -> Bool {
        !isSampling && !(isMuted && trigger == .limits)
    }

    /// Events that were not believed.
    package var suppressed: UInt64 { meter?.suppressed ?? 0 }

    /// A limit that is met without memory being short may be met a hundred times a second.
    private static let mute = Duration.seconds(1)

    // MARK: Readings

    /// A trigger fired.
    ///
    /// - Returns: What there is to announce, if the event is believed and changes anything.
    /// - Throws: ``KernelError``, as the source does.
    package mutating func event(
        _ trigger: PressureSensor.Trigger,
        from source: some PressureSource,
        at now: MonotonicInstant
    ) throws(KernelError) -> LevelMachine.Change? {
        switch trigger {
        case .stalls(let kind):
            guard let stall = try source.stalls(), let shares = meter?.event(kind, stall, at: now) else { return nil }
            var reading = PressureReading(at: now, stalls: shares)
            // What is critical by itself is told before anything else is read.
            guard policy.levels.rise(by: reading, isSustained: false).level < .critical else { return judge(reading) }
            complete(&reading, from: source)
            let change = judge(reading)
            _ = reclaims(source, at: now)
            return change
        case .limits:
            var reading = PressureReading(at: now, hits: try hits(source))
            if let stall = try source.stalls() {
                // The totals belong to the ticks; the kernel's average covers the last few seconds as well.
                reading.stalls = StallShares(some: stall.average10(.some), full: stall.average10(.full))
            }
            complete(&reading, from: source)
            let change = judge(reading)
            isMuted = !isSampling
            return change
        }
    }

    /// The pause is over.
    ///
    /// - Throws: ``KernelError``, as the source does.
    package mutating func tick(
        from source: some PressureSource,
        at now: MonotonicInstant
    ) throws(KernelError) -> LevelMachine.Change? {
        isMuted = false
        var reading = PressureReading(at: now, hits: try hits(source))
        if let stall = try source.stalls() { reading.stalls = meter?.tick(stall, at: now) }
        reading.isReclaiming = reclaims(source, at: now)
        complete(&reading, from: source)
        return judge(reading)
    }

    private mutating func hits(_ source: some PressureSource) throws(KernelError) -> LimitHits {
        guard let now = try source.limitEvents() else { return LimitHits() }
        defer { limitEvents = now }
        return LimitHits(
            high: now.high > limitEvents.high ? now.high - limitEvents.high : 0,
            max: now.max > limitEvents.max ? now.max - limitEvents.max : 0
        )
    }

    /// Adds what is left; where it cannot be told just now, nothing is concluded from it.
    private mutating func complete(_ reading: inout PressureReading, from source: some PressureSource) {
        reading.headroom = source.headroom()
        note(reading.headroom, at: reading.at)
    }

    private mutating func note(_ headroom: Headroom?, at now: MonotonicInstant) {
        guard let headroom else {
            pace = HeadroomPace()
            samplingPause = nil
            return
        }
        pace.note(headroom, at: now)
        samplingPause = policy.sampling.pause(
            at: headroom.share,
            pace: pace.perSecond,
            relief: relief?.duration(to: now)
        )
    }

    /// Whether the kernel reclaimed since the tick before; `nil` if that is too long ago to say, or not known.
    private mutating func reclaims(_ source: some PressureSource, at now: MonotonicInstant) -> Bool? {
        guard meter != nil, let counters = source.reclaim() else { return nil }
        defer { reclaim = (counters, now) }
        guard let reclaim, reclaim.at.duration(to: now) <= window * 2 else { return nil }
        return counters.shows(since: reclaim.counters)
    }

    private mutating func judge(_ reading: PressureReading) -> LevelMachine.Change? {
        self.reading = reading
        let change = machine.feed(reading)
        if case .fell = change, machine.level == .normal {
            relief = reading.at
            note(reading.headroom, at: reading.at)
        }
        return change
    }
}
