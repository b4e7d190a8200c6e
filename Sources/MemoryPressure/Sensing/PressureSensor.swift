internal import Glibc

/// The level of one scope, from all the kernel says about it.
///
/// It does not wait by itself. Whoever owns it polls ``triggers`` for `POLLPRI`, and calls ``event(_:)`` for each that
/// fires and ``tick()`` when ``pause`` is over; after each call it looks at both again, because they change. While the scope
/// is calm and far from its limits there are triggers only, which cost nothing at rest. While it is not, exact readings
/// decide, once a window, and the triggers have nothing to add.
///
/// Used by one thread at a time.
package final class PressureSensor {
    /// What a descriptor stands for that is polled.
    package enum Trigger: Hashable, Sendable {
        /// Stalls of one kind. `POLLERR` says that the file is dead.
        case stalls(PressureStall.Kind)
        /// The cgroup's limits. `POLLERR` comes with every event and says nothing.
        case limits
    }

    /// Where its files are.
    package let place: SensorPlace
    /// The rung of the ladder.
    package let rung: Rung
    /// Why it stands no higher; empty on the top rung.
    package let rungReason: String
    /// The level, its reason, and since when.
    package private(set) var machine: LevelMachine
    /// The reading that was judged last.
    package private(set) var reading: PressureReading?
    /// How often the limits were met so far.
    package private(set) var limitEvents = MemoryEvents()

    /// All descriptors that ``triggers`` may name; valid as long as this object lives.
    package let descriptors: [(trigger: Trigger, descriptor: CInt)]

    private let tree: KernelTree
    private var policy: SensorPolicy
    private let watch: StallWatch?
    private var meter: StallMeter?
    private let limits: MemoryEventsWatch?
    /// Counts of reclaim at the last tick, to be held against the next ones.
    private var reclaim: (counters: ReclaimCounters, at: MonotonicInstant)?
    private var lastHeadroom: (share: Share, at: MonotonicInstant)?
    /// Until when limits that are met all the time without being short are not listened to.
    private var isMuted = false
    private var samplingPause: Duration?

    /// Opens all there is on the best rung, and starts at a level, which is held until readings say otherwise.
    ///
    /// - Throws: ``KernelError`` if there is nothing to be watched.
    package init(
        _ place: SensorPlace,
        in tree: KernelTree = .live,
        policy: SensorPolicy = SensorPolicy(),
        level: PressureLevel = .normal
    ) throws(KernelError) {
        let now = MonotonicInstant.now
        var failure: KernelError?
        var watch: StallWatch?
        var meter: StallMeter?
        var stallRung: Rung?
        var window = policy.sampling.standing
        var descriptors: [(trigger: Trigger, descriptor: CInt)] = []
        var reason = ""
        do throws(KernelError) {
            let opened = try StallWatch(opening: place.pressure(in: tree), plan: policy.stalls)
            stallRung = Rung(opened.rung)
            reason = opened.rungReason
            window = opened.window
            descriptors = opened.triggers.map { (.stalls($0.kind), $0.descriptor) }
            meter = StallMeter(
                rung: opened.rung,
                window: opened.window,
                plan: policy.stalls,
                first: try opened.read(),
                at: now
            )
            watch = consume opened
        } catch {
            failure = error
            reason = "\(error)"
        }
        // Not every cgroup has limits, and not every host the controller.
        var first: MemoryEvents?
        var limits: MemoryEventsWatch?
        if let cgroup = place.cgroup, let opened = try? MemoryEventsWatch(cgroup) {
            first = opened.first
            descriptors.append((.limits, opened.descriptor))
            limits = consume opened
        }
        let headroom = try? place.headroom(in: tree)
        let rest: Rung? = first != nil ? .events : headroom == nil ? nil : place.cgroup == nil ? .available : .usage
        // Before anything of self is there, so that there is nothing to take down.
        guard let rung = stallRung ?? rest else {
            throw failure ?? KernelError("watch", place.pressure(in: tree), errno: ENOENT)
        }
        self.place = place
        self.tree = tree
        self.policy = policy
        self.rung = rung
        rungReason = reason
        self.window = window
        self.descriptors = descriptors
        machine = LevelMachine(policy: policy.levels, level: level, at: now)
        limitEvents = first ?? MemoryEvents()
        self.watch = watch
        self.meter = meter
        self.limits = limits
        note(headroom, at: now)
    }

    // MARK: What to wait for

    /// Whether exact readings on a timer decide now; always where there is no trigger.
    package var isSampling: Bool { machine.needsReadings || rung == .polling }

    /// How often to read while ``isSampling``.
    package let window: Duration

    /// When ``tick()`` is due, from the last call on; `nil` if not before an event.
    package var pause: Duration? {
        if isSampling { return window }
        return [samplingPause, isMuted ? Self.mute : nil].compactMap(\.self).min()
    }

    /// What to poll for `POLLPRI` now.
    package var triggers: [(trigger: Trigger, descriptor: CInt)] {
        isSampling ? [] : isMuted ? descriptors.filter { $0.trigger != .limits } : descriptors
    }

    /// Events that were not believed.
    package var suppressed: UInt64 { meter?.suppressed ?? 0 }

    /// A limit that is met without memory being short may be met a hundred times a second.
    private static let mute = Duration.seconds(1)

    // MARK: Readings

    /// A trigger fired.
    ///
    /// - Returns: What there is to announce, if the event is believed and changes anything.
    /// - Throws: ``KernelError``: the scope's files are gone, and the sensor of no more use.
    package func event(_ trigger: Trigger) throws(KernelError) -> LevelMachine.Change? {
        let now = MonotonicInstant.now
        switch trigger {
        case .stalls(let kind):
            guard let shares = try stalls(kind, at: now) else { return nil }
            var reading = PressureReading(at: now, stalls: shares)
            // What is critical by itself is told before anything else is read.
            guard policy.levels.rise(by: reading, isSustained: false).level < .critical else { return judge(reading) }
            complete(&reading)
            defer { _ = reclaims(at: now) }
            return judge(reading)
        case .limits:
            var reading = PressureReading(at: now, hits: try hits())
            if let stall = try watch?.read() {
                // The totals belong to the ticks; the kernel's average covers the last few seconds as well.
                reading.stalls = StallShares(some: stall.average10(.some), full: stall.average10(.full))
            }
            complete(&reading)
            let change = judge(reading)
            isMuted = !isSampling
            return change
        }
    }

    /// The pause is over.
    ///
    /// - Throws: As ``event(_:)``.
    package func tick() throws(KernelError) -> LevelMachine.Change? {
        let now = MonotonicInstant.now
        let wasSampling = isSampling
        isMuted = false
        var reading = PressureReading(at: now, hits: try hits())
        if let stall = try watch?.read() { reading.stalls = meter?.tick(stall, at: now) }
        reading.isReclaiming = reclaims(at: now)
        complete(&reading)
        let change = judge(reading)
        if wasSampling, !isSampling { watch?.discardPendingEvents() }
        return change
    }

    /// How the scope stands now; changes nothing.
    package func look() -> (stalls: PressureStall?, headroom: Headroom?) {
        (try? watch?.read(), headroom())
    }

    /// What is left now; `nil` where there is no limit, or it cannot be told.
    package func headroom() -> Headroom? {
        try? place.headroom(in: tree)
    }

    /// Goes on from another sensor of the same scope: its level, the reason for it, and since when.
    package func goOn(from sensor: PressureSensor) {
        machine = sensor.machine
        machine.policy = policy.levels
    }

    /// New rules, from the next reading on.
    ///
    /// Thresholds of triggers that are armed stay.
    package func follow(_ policy: SensorPolicy) {
        self.policy.levels = policy.levels
        machine.policy = policy.levels
    }

    private func stalls(_ kind: PressureStall.Kind, at now: MonotonicInstant) throws(KernelError) -> StallShares? {
        guard let stall = try watch?.read() else { return nil }
        return meter?.event(kind, stall, at: now)
    }

    private func hits() throws(KernelError) -> LimitHits {
        guard let now = try limits?.read() else { return LimitHits() }
        defer { limitEvents = now }
        return LimitHits(
            high: now.high > limitEvents.high ? now.high - limitEvents.high : 0,
            max: now.max > limitEvents.max ? now.max - limitEvents.max : 0
        )
    }

    /// Adds what is left; where it cannot be told just now, nothing is concluded from it.
    private func complete(_ reading: inout PressureReading) {
        reading.headroom = headroom()
        note(reading.headroom, at: reading.at)
    }

    private func note(_ headroom: Headroom?, at now: MonotonicInstant) {
        guard let headroom else {
            lastHeadroom = nil
            samplingPause = nil
            return
        }
        let last = lastHeadroom.map { (share: $0.share, elapsed: $0.at.duration(to: now)) }
        samplingPause = policy.sampling.pause(at: headroom.share, last: last)
        lastHeadroom = (headroom.share, now)
    }

    /// Whether the kernel reclaimed since the tick before; `nil` if that is too long ago to say, or not known.
    private func reclaims(at now: MonotonicInstant) -> Bool? {
        guard watch != nil, let counters = try? ReclaimCounters.read(of: place.cgroup, in: tree) else { return nil }
        defer { reclaim = (counters, now) }
        guard let reclaim, reclaim.at.duration(to: now) <= window * 2 else { return nil }
        return counters.shows(since: reclaim.counters)
    }

    private func judge(_ reading: PressureReading) -> LevelMachine.Change? {
        self.reading = reading
        return machine.feed(reading)
    }
}

extension Rung {
    fileprivate init(_ rung: StallWatch.Rung) {
        self =
            switch rung {
            case .privileged: .privileged
            case .unprivileged: .unprivileged
            case .polling: .polling
            }
    }
}
