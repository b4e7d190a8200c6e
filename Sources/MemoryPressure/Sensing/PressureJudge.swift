/// The rules of a sensor: which events it waits for, when it reads which files, and what follows from the readings.
///
/// A value without files or a clock: it requests readings, and is given their results. ``PressureSensor`` feeds it
/// readings of the kernel, and a replay feeds it recorded ones, by the same rules.
package struct PressureJudge: Sendable {
    /// The reason for a reading.
    package enum Occasion: Hashable, Sendable {
        /// A trigger fired.
        case event(PressureSensor.Trigger)
        /// The pause is over.
        case tick
        /// The pause is over, and the triggers were not polled during it.
        case deafTick
    }

    /// The next step after readings.
    package enum Step: Sendable {
        /// More has to be read before the level can be judged.
        case read(SensorReads)
        /// The event is not believed: nothing changes, ``PressureJudge/due`` included.
        case disbelieved
        /// The change to announce, if any.
        case done(LevelMachine.Change?)
    }

    private enum Pending: Sendable {
        case stalls(PressureStall.Kind)
        case limits
        case tick
        case glance
        /// The remaining files after a believed event of stalls.
        case rest(of: PressureReading)
    }

    /// The rung of the ladder.
    package let rung: Rung
    /// The interval between readings while ``isSampling``.
    package let window: Duration
    /// The level, its reason, and when it began.
    package private(set) var machine: LevelMachine
    /// The last judged reading.
    package private(set) var reading: PressureReading?
    /// How often the limits were reached so far.
    package private(set) var limitEvents: MemoryEvents
    /// The rules; new rules apply from the next reading on, but the meter keeps its first thresholds.
    package var policy: SensorPolicy {
        didSet { machine.policy = policy.levels }
    }

    private var meter: StallMeter?
    /// The reclaim counters at the last tick, to compare the next ones with.
    private var reclaim: (counters: ReclaimCounters, at: MonotonicInstant)?
    private var pace = HeadroomPace()
    /// The headroom at the last reading, and whether that reading failed.
    private var left: Share?
    private var isHeadroomUnknown = false
    /// Whether events of limits are ignored until the next tick: the limits are reached all the time without memory
    /// being short.
    private var isMuted = false
    private var samplingPause: Duration?
    /// When headroom was read last, and when all figures were.
    ///
    /// An event that is not believed concerns stalls alone, and does not delay a tick.
    private var looked: MonotonicInstant
    private var judged: MonotonicInstant
    /// The purpose of the next readings.
    private var pending: Pending?
    /// When the scope became calm; `nil` if it always was.
    private var relief: MonotonicInstant?

    /// Starts from the first readings of the scope's files, at a level that lasts until readings change it.
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
        (looked, judged) = (first.at, first.at)
        limitEvents = first.limitEvents ?? MemoryEvents()
        if let stalls = first.stalls, rung.hasStalls {
            meter = StallMeter(rung: rung, window: window, plan: policy.stalls, first: stalls, at: first.at)
        }
        note(first)
    }

    /// Takes over the state of another judge of the same scope: its level, the reason for it, and when it began; and the
    /// headroom that it read last, if that cannot be read now.
    package mutating func resume(from other: LevelMachine, after former: Self?) {
        machine = other
        machine.policy = policy.levels
        if isHeadroomUnknown { left = former?.left }
    }

    // MARK: What to wait for

    /// Whether exact readings on a timer decide now; always `true` without triggers.
    package var isSampling: Bool { machine.needsReadings || rung == .polling }

    /// When a tick is due; `nil` if none is due before an event.
    package var due: MonotonicInstant? {
        isSampling ? .earlier(judged.advanced(by: window), glance) : pause.map { looked.advanced(by: $0) }
    }

    /// The time from the last reading of headroom to the next tick while the scope is calm; `nil` if none is due before
    /// an event, or if the scope is not calm.
    package var pause: Duration? {
        isSampling ? nil : isMuted ? min(samplingPause ?? Self.mute, Self.mute) : samplingPause
    }

    /// When headroom alone is read, because it shrinks so fast that it may reach the next rise point within the window;
    /// `nil` if it does not.
    private var glance: MonotonicInstant? {
        guard let left, let point = policy.levels.headroom(above: machine.level) else { return nil }
        let pause = policy.sampling.pause(from: left, to: point, pace: pace.perSecond)
        guard let pause, looked.advanced(by: pause) < judged.advanced(by: window) else { return nil }
        return looked.advanced(by: pause)
    }

    /// The triggers of a set whose events count now.
    package func wanted(among triggers: TriggerSet) -> TriggerSet {
        isSampling ? [] : isMuted ? triggers.subtracting(.limits) : triggers
    }

    /// How fast headroom shrinks at present, in hundredths of a percent of the limit a second; 0 if it does not.
    package var shrinking: Double { max(0, pace.mean) }

    /// The number of events that were not believed.
    package var suppressed: UInt64 { meter?.suppressed ?? 0 }

    /// A limit that is reached without memory being short may be reached a hundred times a second.
    private static let mute = Duration.seconds(1)

    // MARK: Readings

    /// Handles an occasion; calls `read` once or twice for the files that it needs.
    package mutating func handle<Failure: Error>(
        _ occasion: Occasion,
        at now: MonotonicInstant,
        read: (SensorReads) throws(Failure) -> SensorReadings
    ) throws(Failure) -> LevelMachine.Change? {
        var reads = begin(occasion, at: now)
        while true {
            switch take(try read(reads)) {
            case .read(let more): reads = more
            case .disbelieved: return nil
            case .done(let change): return change
            }
        }
    }

    /// Returns the files to read first.
    package mutating func begin(_ occasion: Occasion, at now: MonotonicInstant) -> SensorReads {
        switch occasion {
        case .event(.stalls(let kind)):
            pending = .stalls(kind)
            return .stalls
        case .event(.limits):
            pending = .limits
            return [.limitEvents, .stalls, .headroom]
        case .tick, .deafTick:
            let isGlance = occasion == .tick && (isSampling ? isBetweenWindows(now) : triggersSuffice)
            isMuted = false
            pending = isGlance ? .glance : .tick
            return isGlance ? .headroom : [.limitEvents, .stalls, .headroom, .reclaim]
        }
    }

    /// Whether the present window has just begun or is under way: a reading now, because of a glance, of a limit that moved
    /// or of a neighbour, judges headroom alone.
    private func isBetweenWindows(_ now: MonotonicInstant) -> Bool {
        now < judged.advanced(by: window.almost)
    }

    /// Whether triggers report everything except headroom.
    ///
    /// If headroom cannot be read, the scope may be gone, which the other files show.
    private var triggersSuffice: Bool {
        rung.hasTriggers && !isMuted && !isHeadroomUnknown
    }

    /// Processes the requested readings.
    package mutating func take(_ readings: SensorReadings) -> Step {
        defer { if case .rest = pending {} else { pending = nil } }
        switch pending {
        case .stalls(let kind):
            guard let stall = readings.stalls, let shares = meter?.event(kind, stall, at: readings.at) else {
                return .disbelieved
            }
            let reading = PressureReading(at: readings.at, stalls: shares)
            pending = .rest(of: reading)
            // A critical level is announced as soon as the bytes wanted are known.
            let isCritical = policy.levels.rise(by: reading, isSustained: false).level == .critical
            return .read(isCritical ? .headroom : [.headroom, .reclaim])
        case .rest(var reading):
            pending = nil
            complete(&reading, from: readings)
            let change = judge(reading)
            _ = reclaims(readings)
            return .done(change)
        case .limits:
            var reading = PressureReading(at: readings.at, hits: hits(readings))
            if let stall = readings.stalls {
                // Only ticks use the totals; here the kernel's average, which also covers the last few seconds, is
                // enough.
                reading.stalls = StallShares(some: stall.average10(.some), full: stall.average10(.full))
            }
            complete(&reading, from: readings)
            let change = judge(reading)
            isMuted = !isSampling
            return .done(change)
        case .tick:
            var reading = PressureReading(at: readings.at, hits: hits(readings))
            if let stall = readings.stalls, meter != nil {
                // Unknown stalls would make hits of limits count that are none of short memory.
                let known = self.reading?.stalls ?? StallShares(some: .zero, full: .zero)
                reading.stalls = meter?.tick(stall, at: readings.at) ?? known
            }
            reading.isReclaiming = reclaims(readings)
            complete(&reading, from: readings)
            return .done(judge(reading))
        case .glance:
            note(readings)
            var reading = PressureReading(at: readings.at)
            reading.headroom = readings.headroom
            if isSampling {
                // Everything except headroom was judged already.
                reading.stalls = self.reading?.stalls
                reading.isReclaiming = self.reading?.isReclaiming
                if isHeadroomUnknown { reading.earlierLeft = left }
                return .done(judge(reading, isWholeWindow: false))
            }
            guard policy.levels.rise(by: reading, isSustained: false).level > .normal else { return .done(nil) }
            // The first window begins now.
            judged = readings.at
            return .done(judge(reading))
        case nil:
            return .disbelieved
        }
    }

    private mutating func hits(_ readings: SensorReadings) -> LimitHits {
        guard let now = readings.limitEvents else { return LimitHits() }
        defer { limitEvents = now }
        return LimitHits(
            high: now.high > limitEvents.high ? now.high - limitEvents.high : 0,
            max: now.max > limitEvents.max ? now.max - limitEvents.max : 0
        )
    }

    /// Adds the headroom; if it cannot be read now, the level neither rises nor falls by it.
    private mutating func complete(_ reading: inout PressureReading, from readings: SensorReadings) {
        judged = readings.at
        reading.headroom = readings.headroom
        note(readings)
        if isHeadroomUnknown { reading.earlierLeft = left }
    }

    private mutating func note(_ readings: SensorReadings) {
        looked = readings.at
        isHeadroomUnknown = readings.failed.contains(.headroom)
        guard !isHeadroomUnknown else {
            // A limit may be near: it is read again, at the previous interval or at that of a raised level.
            samplingPause = samplingPause ?? policy.sampling.standing
            return
        }
        left = readings.headroom?.share
        guard let headroom = readings.headroom else {
            pace = HeadroomPace()
            samplingPause = nil
            return
        }
        pace.note(headroom, at: readings.at)
        note(headroom, at: readings.at)
    }

    private mutating func note(_ headroom: Headroom, at now: MonotonicInstant) {
        samplingPause = policy.sampling.pause(
            at: headroom.share,
            pace: pace.perSecond,
            relief: relief?.duration(to: now)
        )
    }

    /// Whether the kernel reclaimed since the tick before; `nil` if that is too long ago, or unknown.
    private mutating func reclaims(_ readings: SensorReadings) -> Bool? {
        guard meter != nil, let counters = readings.reclaim else { return nil }
        defer { reclaim = (counters, readings.at) }
        guard let reclaim, reclaim.at.duration(to: readings.at) <= window * 2 else { return nil }
        return counters.shows(since: reclaim.counters)
    }

    private mutating func judge(_ reading: PressureReading, isWholeWindow: Bool = true) -> LevelMachine.Change? {
        self.reading = reading
        let change = machine.feed(reading, isWholeWindow: isWholeWindow)
        if case .fell = change, machine.level == .normal {
            relief = reading.at
            if let headroom = reading.headroom { note(headroom, at: reading.at) }
        }
        return change
    }
}
