/// The rules of a sensor: what it waits for, what it reads when, and what it makes of that.
///
/// A value without a file or a clock of its own: it says what is to be read, and is told what that was. ``PressureSensor``
/// has it judge what the kernel says, and a replay what the kernel once said, by the same rules.
package struct PressureJudge: Sendable {
    /// Why something is read.
    package enum Occasion: Hashable, Sendable {
        /// A trigger fired.
        case event(PressureSensor.Trigger)
        /// The pause is over.
        case tick
        /// The pause is over, and the triggers were not polled meanwhile.
        case deafTick
    }

    /// What follows from readings.
    package enum Step: Sendable {
        /// More has to be read before anything can be said.
        case read(SensorReads)
        /// The event is not believed: all is as it was, ``PressureJudge/due`` included.
        case disbelieved
        /// What there is to announce, if anything.
        case done(LevelMachine.Change?)
    }

    private enum Pending: Sendable {
        case stalls(PressureStall.Kind)
        case limits
        case tick
        case glance
        /// An event of stalls that is believed.
        case rest(of: PressureReading)
    }

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
    /// What was left at the last look, and whether that look failed.
    private var left: Share?
    private var isHeadroomUnknown = false
    /// Until when limits that are met all the time without being short are not listened to.
    private var isMuted = false
    private var samplingPause: Duration?
    /// When headroom was looked at last, and when all was that decides.
    ///
    /// An event that is not believed is about stalls alone, and puts off no tick.
    private var looked: MonotonicInstant
    private var judged: MonotonicInstant
    /// What the next readings are for.
    private var pending: Pending?
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
        (looked, judged) = (first.at, first.at)
        limitEvents = first.limitEvents ?? MemoryEvents()
        if let stalls = first.stalls, rung.hasStalls {
            meter = StallMeter(rung: rung, window: window, plan: policy.stalls, first: stalls, at: first.at)
        }
        note(first)
    }

    /// Goes on from another judge of the same scope: its level, the reason for it, and since when.
    package mutating func goOn(from other: LevelMachine) {
        machine = other
        machine.policy = policy.levels
    }

    // MARK: What to wait for

    /// Whether exact readings on a timer decide now; always where there is no trigger.
    package var isSampling: Bool { machine.needsReadings || rung == .polling }

    /// When a tick is due; `nil` if not before an event.
    package var due: MonotonicInstant? {
        isSampling ? .earlier(judged.advanced(by: window), glance) : pause.map { looked.advanced(by: $0) }
    }

    /// How long after headroom was looked at a tick is due while the scope is calm; `nil` if not before an event, or if it is
    /// not calm.
    package var pause: Duration? {
        isSampling ? nil : [samplingPause, isMuted ? Self.mute : nil].compactMap { $0 }.min()
    }

    /// When headroom alone is looked at, since it shrinks so fast that it may reach the next rise point before the window is
    /// over; `nil` if it does not.
    private var glance: MonotonicInstant? {
        guard let left, let point = policy.levels.headroom(above: machine.level) else { return nil }
        let pause = policy.sampling.pause(from: left, to: point, pace: pace.perSecond)
        guard let pause, looked.advanced(by: pause) < judged.advanced(by: window) else { return nil }
        return looked.advanced(by: pause)
    }

    /// Those triggers of a set whose events are waited for now.
    package func heard(of triggers: TriggerSet) -> TriggerSet {
        isSampling ? [] : isMuted ? triggers.subtracting(.limits) : triggers
    }

    /// Events that were not believed.
    package var suppressed: UInt64 { meter?.suppressed ?? 0 }

    /// A limit that is met without memory being short may be met a hundred times a second.
    private static let mute = Duration.seconds(1)

    // MARK: Readings

    /// Decides on an occasion; `read` is asked for the files that it takes, once or twice.
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

    /// Says what is to be read first.
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

    private func isBetweenWindows(_ now: MonotonicInstant) -> Bool {
        glance != nil && now < judged.advanced(by: window)
    }

    /// Whether triggers tell of all but headroom.
    ///
    /// Where headroom cannot be read the scope may be gone, which the other files say.
    private var triggersSuffice: Bool {
        rung.hasTriggers && !isMuted && !isHeadroomUnknown
    }

    /// Takes in what was asked for.
    package mutating func take(_ readings: SensorReadings) -> Step {
        defer { if case .rest = pending {} else { pending = nil } }
        switch pending {
        case .stalls(let kind):
            guard let stall = readings.stalls, let shares = meter?.event(kind, stall, at: readings.at) else {
                return .disbelieved
            }
            let reading = PressureReading(at: readings.at, stalls: shares)
            pending = .rest(of: reading)
            // What is critical by itself is told as soon as it is known how much is wanted.
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
                // The totals belong to the ticks; the kernel's average covers the last few seconds as well.
                reading.stalls = StallShares(some: stall.average10(.some), full: stall.average10(.full))
            }
            complete(&reading, from: readings)
            let change = judge(reading)
            isMuted = !isSampling
            return .done(change)
        case .tick:
            var reading = PressureReading(at: readings.at, hits: hits(readings))
            if let stall = readings.stalls { reading.stalls = meter?.tick(stall, at: readings.at) }
            reading.isReclaiming = reclaims(readings)
            complete(&reading, from: readings)
            return .done(judge(reading))
        case .glance:
            note(readings)
            var reading = PressureReading(at: readings.at)
            if isSampling {
                // All but headroom was judged already, and no level falls for what is left now.
                reading.stalls = self.reading?.stalls
                reading.isReclaiming = self.reading?.isReclaiming
            } else {
                // Should it rise, the first window begins now.
                judged = readings.at
            }
            reading.headroom = readings.headroom
            let risen = policy.levels.rise(by: reading, isSustained: false)
            return .done(risen.level > machine.level ? judge(reading) : nil)
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

    /// Adds what is left; where it cannot be told just now, no level is concluded from it.
    private mutating func complete(_ reading: inout PressureReading, from readings: SensorReadings) {
        judged = readings.at
        reading.headroom = readings.headroom
        note(readings)
    }

    private mutating func note(_ readings: SensorReadings) {
        looked = readings.at
        isHeadroomUnknown = readings.failed.contains(.headroom)
        guard !isHeadroomUnknown else {
            // A limit may be near: it is looked at again, as often as before or as one whose level stands.
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

    /// Whether the kernel reclaimed since the tick before; `nil` if that is too long ago to say, or not known.
    private mutating func reclaims(_ readings: SensorReadings) -> Bool? {
        guard meter != nil, let counters = readings.reclaim else { return nil }
        defer { reclaim = (counters, readings.at) }
        guard let reclaim, reclaim.at.duration(to: readings.at) <= window * 2 else { return nil }
        return counters.shows(since: reclaim.counters)
    }

    private mutating func judge(_ reading: PressureReading) -> LevelMachine.Change? {
        self.reading = reading
        let change = machine.feed(reading)
        if case .fell = change, machine.level == .normal {
            relief = reading.at
            if let headroom = reading.headroom { note(headroom, at: reading.at) }
        }
        return change
    }
}
