import MemoryPressure
import WarningPolicy

/// The kernel's side of a recorded scope: the contents of its files, and the times at which its triggers would have
/// fired.
struct ReplayedScope {
    /// The location of its files.
    let place: SensorPlace
    /// Whether the policy watches it.
    var isOpen = false
    /// The triggers that the policy listens to.
    var listening: TriggerSet = []
    /// The number of stall events that the kernel would have sent while the policy listened.
    private(set) var events: UInt64 = 0

    private let header: RecordingHeader.Scope
    private var source: RecordedSource
    private var triggers: [(kind: PressureStall.Kind, model: TriggerModel)]
    private var limits: MemoryEvents?
    private var ticks = PeriodClock()
    private var average: UInt64 = 0
    private var hasEvent = false
    private let window: Duration
    /// Half of the interval between samples: a timer that ends between two samples is moved to the nearer one.
    private let tolerance: Duration

    init(_ scope: RecordingHeader.Scope, plan: StallPlan, tolerance: Duration) {
        header = scope
        // The root of a cgroup namespace has the same name as the host.
        let path = scope.path == "/." ? "/" : scope.path
        place = scope.path == "/" ? .host : SensorPlace(cgroup: Cgroup(path: path, directory: scope.path))
        // The present configuration counts, not that of the recording.
        window =
            switch scope.rung {
            case .privileged: plan.privilegedWindow
            case .unprivileged, .polling: plan.window
            default: .microseconds(Int64(scope.window))
            }
        self.tolerance = tolerance
        source = RecordedSource(scope)
        let (window, rung) = (window, scope.rung)
        let kinds: [PressureStall.Kind] =
            rung <= .unprivileged && scope.figures.contains(.stalls) ? [.full, .some] : []
        // If both fire at once the loop handles this one first, which says more.
        triggers = kinds.map { kind in
            (kind, TriggerModel(threshold: plan.threshold(kind, in: window), window: window, rung: rung))
        }
    }

    /// Records that the kernel sent a stall event during the recording.
    ///
    /// It is not used as an event of the replay, whose thresholds may differ; but it shows when the kernel checked.
    mutating func noteEvent() {
        hasEvent = true
    }

    /// Processes a sample.
    ///
    /// - Returns: the triggers that fire, in the order in which the loop handles them; `nil` if the scope is gone.
    mutating func take(_ figures: RecordedFigures, at now: MonotonicInstant) -> [PressureSensor.Trigger]? {
        guard !figures.isGone else { return nil }
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
        return fired
    }

    /// Counts an event that the policy receives.
    mutating func count(_ trigger: PressureSensor.Trigger) {
        if trigger != .limits { events += 1 }
    }

    /// The result of opening it.
    mutating func open(at now: MonotonicInstant) -> WatchOpening {
        let kinds = triggers.map { TriggerSet(.stalls($0.kind)) } + (limits == nil ? [] : [.limits])
        listening = kinds.reduce(into: []) { $0.formUnion($1) }
        return .opened(
            OpenedFiles(rung: header.rung, window: window, triggers: listening, first: readings(at: now))
        )
    }

    /// The contents of its files at the last sample.
    func readings(at now: MonotonicInstant) -> SensorReadings { source.readings(at: now) }

    /// Its figures at the last sample.
    func look(at now: MonotonicInstant) -> ScopeLook {
        ScopeLook(at: now, stalls: source.stalls(), headroom: source.headroom())
    }
}

extension Rung {
    /// Whether a rung is as good as another, or better.
    fileprivate static func <= (left: Self, right: Self) -> Bool { left.rawValue <= right.rawValue }
}
