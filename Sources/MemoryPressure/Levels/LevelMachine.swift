/// Derives a scope's level from its readings.
///
/// A pure value: it is fed readings with their instants and answers with the change to announce, if any. Simulation,
/// replay and tests feed it the same way as the kernel does.
///
/// A level rises at once when a rise point is reached (`warning` on `some` alone needs ``LevelPolicy/warningWindows``
/// readings in a row). It falls when all figures stayed below the level's fall points for ``LevelPolicy/dwell``, to the
/// highest level that was still held in that time. After ``LevelPolicy/hold`` it is derived anew from the reading at
/// hand, so that no history can keep a scope in distress for ever.
package struct LevelMachine: Sendable {
    /// One reading, judged as shares.
    package struct Reading: Hashable, Sendable {
        /// What the stalls were.
        package var stalls: StallSample
        /// What is left to the binding limit, where it is known.
        package var headroom: Share?

        package init(_ stalls: StallSample, headroom: Share? = nil) {
            self.stalls = stalls
            self.headroom = headroom
        }
    }

    /// What there is to announce.
    package enum Change: Hashable, Sendable {
        /// The level is higher than before.
        case rose(from: PressureLevel)
        /// The level still stands after the repeat interval.
        case persists
        /// The level is lower than before.
        case fell(from: PressureLevel)
    }

    /// The rules it follows.
    package let policy: LevelPolicy
    /// The level now.
    package private(set) var level: PressureLevel
    /// Why the level is what it is; the figures of the reading that was announced last.
    package private(set) var reason = PressureReason(.unknown)
    /// When this level began.
    package private(set) var since: MonotonicInstant

    private var announced: MonotonicInstant
    private var derived: MonotonicInstant
    private var readingsAtWarning = 0
    private var falling: (since: MonotonicInstant, to: PressureLevel)?

    /// Starts at a level, which is held until readings say otherwise.
    package init(policy: LevelPolicy = LevelPolicy(), level: PressureLevel = .normal, at instant: MonotonicInstant) {
        self.policy = policy
        self.level = level
        since = instant
        announced = instant
        derived = instant
    }

    /// Whether a later reading can change anything without a new event: the level stands, or is about to rise.
    package var needsReadings: Bool { level > .normal || readingsAtWarning > 0 }

    /// Takes in a reading; readings come in order of time.
    package mutating func feed(_ reading: Reading) -> Change? {
        let now = reading.stalls.at
        readingsAtWarning = reading.stalls.some >= policy.warning ? readingsAtWarning + 1 : 0

        let (risen, riseReason) = risen(by: reading, sustained: readingsAtWarning >= policy.warningWindows)
        if risen > level {
            return change(to: risen, because: riseReason, at: now)
        }
        if level > .normal, derived.duration(to: now) >= policy.hold {
            derived = now
            let (live, liveReason) = self.risen(by: reading, sustained: true)
            if live < level { return change(to: live, because: liveReason, at: now) }
        }
        let (held, heldReason) = held(by: reading)
        if held < level {
            let since = falling?.since ?? now
            let floor = max(falling?.to ?? .normal, held)
            falling = (since, floor)
            guard since.duration(to: now) >= policy.dwell else { return nil }
            return change(to: floor, because: heldReason, at: now)
        }
        falling = nil
        if level > .normal, announced.duration(to: now) >= policy.repeatInterval {
            announced = now
            if riseReason.source != .unknown { reason = riseReason }
            return .persists
        }
        return nil
    }

    private mutating func change(
        to new: PressureLevel,
        because cause: PressureReason,
        at now: MonotonicInstant
    ) -> Change {
        let old = level
        level = new
        reason = cause
        since = now
        announced = now
        derived = now
        falling = nil
        return new > old ? .rose(from: old) : .fell(from: old)
    }

    /// The level that a reading raises to.
    private func risen(by reading: Reading, sustained: Bool) -> (PressureLevel, PressureReason) {
        let stalls = reading.stalls
        if stalls.full >= policy.criticalFull {
            return (.critical, PressureReason(.fullStall, figure: stalls.full, threshold: policy.criticalFull))
        }
        if stalls.some >= policy.critical {
            return (.critical, PressureReason(.someStall, figure: stalls.some, threshold: policy.critical))
        }
        if sustained, stalls.some >= policy.warning {
            return (.warning, PressureReason(.someStall, figure: stalls.some, threshold: policy.warning))
        }
        if let headroom = reading.headroom, headroom < policy.headroom {
            return (.warning, PressureReason(.headroom, figure: headroom, threshold: policy.headroom))
        }
        return (.normal, PressureReason(.someStall, figure: stalls.some, threshold: policy.warning))
    }

    /// The level that a reading is still enough to hold.
    private func held(by reading: Reading) -> (PressureLevel, PressureReason) {
        let stalls = reading.stalls
        if stalls.full > policy.fallPoint(of: policy.criticalFull) {
            return (.critical, PressureReason(.fullStall, figure: stalls.full, threshold: policy.criticalFull))
        }
        if stalls.some > policy.fallPoint(of: policy.critical) {
            return (.critical, PressureReason(.someStall, figure: stalls.some, threshold: policy.critical))
        }
        if let headroom = reading.headroom, headroom < policy.headroomFallPoint {
            return (.warning, PressureReason(.headroom, figure: headroom, threshold: policy.headroom))
        }
        let some = PressureReason(.someStall, figure: stalls.some, threshold: policy.warning)
        return (stalls.some > policy.fallPoint(of: policy.warning) ? .warning : .normal, some)
    }
}
