import MemoryPressure
import WarningPolicy

/// A scope of a recording under the rules of a live one: the same judge, fed at the times at which a sensor would have
/// been called.
struct ReplayedScope {
    /// Its path.
    let path: String
    private(set) var judge: PressureJudge?
    /// How many events of stalls the kernel would have sent while somebody listened.
    private(set) var events: UInt64 = 0

    private let header: RecordingHeader.Scope
    private let policy: SensorPolicy
    private var source: RecordedSource
    private var triggers: [(kind: PressureStall.Kind, model: TriggerModel)]
    private var limits: MemoryEvents?
    private var due: MonotonicInstant?
    private var ticks = PeriodClock()
    private var average: UInt64 = 0
    private var hasEvent = false
    private let window: Duration
    /// Half of how far samples are apart: a timer that ends between two is taken to the nearer one.
    private let tolerance: Duration

    init(_ scope: RecordingHeader.Scope, policy: SensorPolicy, interval: Duration) {
        header = scope
        path = scope.path
        self.policy = policy
        // What is configured now, and not what was when it was recorded.
        window =
            switch scope.rung {
            case .privileged: policy.stalls.privilegedWindow
            case .unprivileged, .polling: policy.stalls.window
            default: .microseconds(Int64(scope.window))
            }
        tolerance = interval / 2
        source = RecordedSource(scope)
        let (window, rung) = (window, scope.rung)
        let kinds: [PressureStall.Kind] =
            rung <= .unprivileged && scope.figures.contains(.stalls) ? [.full, .some] : []
        // Where both come at once the loop takes this one first, which tells more.
        triggers = kinds.map { kind in
            (kind, TriggerModel(threshold: policy.stalls.threshold(kind, in: window), window: window, rung: rung))
        }
    }

    /// Takes in that the kernel sent an event of stalls when it was recorded.
    ///
    /// It is not taken for one of the replay, whose thresholds may be others; but it tells when the kernel looked.
    mutating func noteEvent() {
        hasEvent = true
    }

    /// Takes in a sample.
    ///
    /// - Returns: what there was to announce, in this order; nearly always nothing.
    mutating func take(_ figures: RecordedFigures, at now: MonotonicInstant) -> [LevelMachine.Change] {
        guard !figures.isGone else { return [] }
        let isPeriod = ticks.isPeriod(figures.some, at: now, tolerance: tolerance, isKnown: hasEvent)
        hasEvent = false
        let average = now.nanoseconds / UInt64(PeriodClock.period.nanoseconds)
        source.take(figures, at: now, isPeriod: average != self.average)
        self.average = average
        var fired: [PressureSensor.Trigger] = []
        for index in triggers.indices {
            let kind = triggers[index].kind
            let total = kind == .some ? figures.some : figures.full
            if triggers[index].model.fires(total, at: now, isPeriod: isPeriod) { fired.append(.stalls(kind)) }
        }
        let events = source.limitEvents()
        if limits != nil, limits != events { fired.append(.limits) }
        limits = events
        guard judge != nil else {
            begin(at: now)
            return []
        }
        return step(fired, at: now)
    }

    private mutating func begin(at now: MonotonicInstant) {
        let first = source.readings(at: now)
        let judge = PressureJudge(rung: header.rung, window: window, policy: policy, first: first)
        due = judge.pause.map { now.advanced(by: $0) }
        self.judge = judge
    }

    private mutating func step(_ fired: [PressureSensor.Trigger], at now: MonotonicInstant) -> [LevelMachine.Change] {
        guard var judge else { return [] }
        defer { self.judge = judge }
        var changes: [LevelMachine.Change] = []
        for trigger in fired where judge.listens(to: trigger) {
            if trigger != .limits { events += 1 }
            if let change = judge.handle(.event(trigger), read: { _ in source.readings(at: now) }) {
                changes.append(change)
            }
            due = judge.pause.map { now.advanced(by: $0) }
        }
        if let due, due <= now.advanced(by: tolerance) {
            if let change = judge.handle(.tick, read: { _ in source.readings(at: now) }) { changes.append(change) }
            self.due = judge.pause.map { now.advanced(by: $0) }
        }
        return changes
    }

    /// How it stood at the last sample.
    func look(at now: MonotonicInstant) -> ScopeLook {
        ScopeLook(at: now, stalls: source.stalls(), headroom: source.headroom())
    }
}

extension Rung {
    /// Whether a rung is as good as another, or better.
    fileprivate static func <= (left: Self, right: Self) -> Bool { left.rawValue <= right.rawValue }
}
