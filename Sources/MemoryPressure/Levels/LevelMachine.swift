/// Derives a scope's level from its readings.
///
/// A pure value: it is fed readings with their instants and answers with the change to announce, if any. Simulation,
/// replay and tests feed it the same way as the kernel does.
///
/// A level rises at once when a rise point is reached (`warning` on `some` alone, with plenty of memory left, needs
/// ``LevelPolicy/warningWindows`` readings in a row). It falls when all figures stayed below the level's fall points
/// for ``LevelPolicy/dwell``, to the highest level that a reading in that time still supported. After
/// ``LevelPolicy/hold`` it is derived again from the current reading alone, so that no history keeps a level raised for
/// ever. A level that lasts is announced again after ``LevelPolicy/repeatInterval``, and after
/// ``LevelPolicy/returnInterval`` if memory had come free and has been taken again.
package struct LevelMachine: Sendable {
    /// A change to announce.
    package enum Change: Hashable, Sendable {
        /// The level is higher than before.
        case rose(from: PressureLevel)
        /// The level lasts, and is announced again.
        case persists
        /// The level lasts and is announced again, and the figures had eased since it was announced: hosts that had
        /// nothing left then may hold something again.
        case returned
        /// The level is lower than before.
        case fell(from: PressureLevel)

        /// Whether the level is announced again.
        package var isRepeat: Bool { self == .persists || self == .returned }
    }

    /// The rules; new rules apply from the next reading on.
    package var policy: LevelPolicy
    /// The level now.
    package private(set) var level: PressureLevel
    /// The reason for the level, with the figures of the last announced reading.
    package private(set) var reason = PressureReason(.unknown)
    /// When this level began.
    package private(set) var since: MonotonicInstant

    private var announced: MonotonicInstant
    private var derived: MonotonicInstant
    private var readingsAtWarning = 0
    private var falling: (since: MonotonicInstant, to: PressureLevel)?
    /// Whether a reading since the last announcement did not hold the level.
    private var hasEased = false

    /// Starts at a level, which is held until readings say otherwise.
    package init(policy: LevelPolicy = LevelPolicy(), level: PressureLevel = .normal, at instant: MonotonicInstant) {
        self.policy = policy
        self.level = level
        since = instant
        announced = instant
        derived = instant
    }

    /// Whether a later reading can change the level without a new event: the level is raised, or about to rise.
    package var needsReadings: Bool { level > .normal || readingsAtWarning > 0 }

    /// Processes a reading; readings come in order of time.
    ///
    /// A reading within a window has the window's stalls once more: it raises and holds a level, and lowers none.
    package mutating func feed(_ reading: PressureReading, isWholeWindow: Bool = true) -> Change? {
        let now = reading.at
        if isWholeWindow {
            let isAtWarning = policy.believes(reading) && (reading.stalls?.some ?? .zero) >= policy.warning
            readingsAtWarning = isAtWarning ? readingsAtWarning + 1 : 0
        }

        let windows = policy.windows(before: reading)
        let risen = policy.rise(by: reading, isSustained: readingsAtWarning >= windows)
        if risen.level > level {
            return change(to: risen, at: now)
        }
        if level > .normal, isWholeWindow, derived.duration(to: now) >= policy.hold {
            derived = now
            let live = policy.rise(by: reading, isSustained: true)
            if live.level < level { return change(to: live, at: now) }
        }
        let held = policy.hold(by: reading)
        if held.level < level {
            let since = falling?.since ?? now
            let floor = max(falling?.to ?? .normal, held.level)
            falling = (since, floor)
            hasEased = true
            guard isWholeWindow, since.duration(to: now) >= policy.dwell else { return nil }
            return change(to: LevelPolicy.Verdict(level: floor, reason: held.reason), at: now)
        }
        falling = nil
        let interval = hasEased && policy.isShort(reading, for: level) ? policy.returnInterval : policy.repeatInterval
        if level > .normal, announced.duration(to: now) >= interval {
            announced = now
            defer { hasEased = false }
            if let verdict = [risen, held].first(where: { $0.level == level }) { reason = verdict.reason }
            return hasEased ? .returned : .persists
        }
        return nil
    }

    private mutating func change(to verdict: LevelPolicy.Verdict, at now: MonotonicInstant) -> Change {
        let old = level
        level = verdict.level
        reason = verdict.reason
        since = now
        announced = now
        derived = now
        falling = nil
        hasEased = false
        return level > old ? .rose(from: old) : .fell(from: old)
    }
}
