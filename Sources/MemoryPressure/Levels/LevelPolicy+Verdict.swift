extension LevelPolicy {
    /// The level that one reading means, and the reason.
    package struct Verdict: Hashable, Sendable {
        /// The level.
        package var level: PressureLevel
        /// The figure and the threshold that it was derived from.
        package var reason: PressureReason
    }

    /// Whether the stalls of a reading mean that memory is short: the kernel reclaimed, or that is unknown.
    package func believes(_ reading: PressureReading) -> Bool {
        !needsReclaim || reading.isReclaiming != false
    }

    /// How many consecutive readings have to reach ``warning``, this one included, to raise the level to warning.
    package func windows(before reading: PressureReading) -> Int {
        guard let headroom = reading.headroom, headroom.share < headroomFar else { return warningWindows }
        return 1
    }

    /// The level to which a reading raises; `isSustained` if `some` has reached ``warning`` for long enough.
    package func rise(by reading: PressureReading, isSustained: Bool) -> Verdict {
        let limit = reading.headroom?.limit
        let some = reading.stalls?.some ?? .zero
        let full = reading.stalls?.full ?? .zero
        let isBelieved = believes(reading)
        func verdict(
            _ level: PressureLevel,
            _ source: PressureReason.Source,
            _ figure: Share,
            _ threshold: Share
        ) -> Verdict {
            Verdict(
                level: level,
                reason: PressureReason(source, figure: figure, threshold: threshold, limit: limit)
            )
        }
        if isBelieved, full >= criticalFull { return verdict(.critical, .fullStall, full, criticalFull) }
        if isBelieved, some >= critical { return verdict(.critical, .someStall, some, critical) }
        let hits = believesHits(of: reading) ? reading.hits : LimitHits()
        if hits.max > 0 { return verdict(.critical, .maxEvents, reading.headroom?.share ?? .zero, headroomFallPoint) }
        if let left = reading.headroom?.share, left < headroomCritical {
            return verdict(.critical, .headroom, left, headroomCritical)
        }
        if isBelieved, isSustained, some >= warning { return verdict(.warning, .someStall, some, warning) }
        if hits.high > 0 { return verdict(.warning, .highEvents, reading.headroom?.share ?? .zero, headroomFallPoint) }
        if let left = reading.headroom?.share, left < headroom { return verdict(.warning, .headroom, left, headroom) }
        return verdict(.normal, .someStall, some, warning)
    }

    /// The level that a reading still supports; a headroom that could not be read is no evidence that there is more.
    package func hold(by reading: PressureReading) -> Verdict {
        let limit = reading.headroom?.limit
        let some = reading.stalls?.some ?? .zero
        let full = reading.stalls?.full ?? .zero
        let left = reading.headroom?.share ?? reading.earlierLeft ?? Share(basisPoints: 10_000)
        let hits = believesHits(of: reading) ? reading.hits : LimitHits()
        let isBelieved = believes(reading)
        let (level, source, figure, threshold): (PressureLevel, PressureReason.Source, Share, Share) =
            if isBelieved, full > fallPoint(of: criticalFull) {
                (.critical, .fullStall, full, criticalFull)
            } else if isBelieved, some > fallPoint(of: critical) {
                (.critical, .someStall, some, critical)
            } else if hits.max > 0 {
                (.critical, .maxEvents, left, headroomFallPoint)
            } else if left < headroomCriticalFallPoint {
                (.critical, .headroom, left, headroomCritical)
            } else if left < headroomFallPoint {
                (.warning, .headroom, left, headroom)
            } else if hits.high > 0 {
                (.warning, .highEvents, left, headroomFallPoint)
            } else if isBelieved, some > fallPoint(of: warning) {
                (.warning, .someStall, some, warning)
            } else {
                (.normal, .someStall, some, warning)
            }
        return Verdict(
            level: level,
            reason: PressureReason(source, figure: figure, threshold: threshold, limit: limit)
        )
    }

    /// Whether headroom alone raises to `level`.
    package func isShort(_ reading: PressureReading, for level: PressureLevel) -> Bool {
        guard let left = reading.headroom?.share else { return false }
        return switch level {
        case .normal: false
        case .warning: left < headroom
        case .critical: left < headroomCritical
        }
    }

    /// Whether hits of a limit mean that memory is short.
    ///
    /// A cgroup that reads files reaches its limit all the time, and the kernel drops clean pages for it: that is not
    /// pressure. It is pressure if little is left besides these pages, or if tasks stall. If neither is known, hits are
    /// believed.
    private func believesHits(of reading: PressureReading) -> Bool {
        if let headroom = reading.headroom, headroom.share < headroomFallPoint { return true }
        if let stalls = reading.stalls, stalls.some > fallPoint(of: warning) { return true }
        return reading.headroom == nil && reading.stalls == nil
    }
}
