import MemoryPressure

/// The kernel's figures of a scope at the last sample.
struct RecordedSource {
    private let known: RecordingHeader.Figures
    private var figures = RecordedFigures()
    private var some = StallAverage()
    private var full = StallAverage()

    init(_ scope: RecordingHeader.Scope) {
        known = scope.figures
    }

    mutating func take(_ figures: RecordedFigures, at now: MonotonicInstant, isPeriod: Bool) {
        self.figures = figures
        guard isPeriod else { return }
        some.update(figures.some, at: now)
        full.update(figures.full, at: now)
    }

    /// All readings at an instant; the caller takes the requested ones.
    func readings(at now: MonotonicInstant) -> SensorReadings {
        var readings = SensorReadings(at: now)
        readings.stalls = stalls()
        readings.limitEvents = limitEvents()
        readings.headroom = headroom()
        readings.reclaim = reclaim()
        return readings
    }

    func stalls() -> PressureStall? {
        guard known.contains(.stalls) else { return nil }
        return PressureStall(
            some: PressureStall.Line(average10: some.share, total: figures.some),
            full: PressureStall.Line(average10: full.share, total: figures.full)
        )
    }

    func limitEvents() -> MemoryEvents? {
        known.contains(.limitEvents) ? MemoryEvents(high: figures.high, max: figures.max) : nil
    }

    func headroom() -> Headroom? { figures.headroom }

    private func reclaim() -> ReclaimCounters? {
        known.contains(.reclaim) ? ReclaimCounters(scanned: figures.scanned, refaulted: figures.refaulted) : nil
    }
}
