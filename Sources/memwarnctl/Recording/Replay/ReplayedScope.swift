import MemoryPressure
import WarningPolicy

/// The kernel's side of a scope of a recording: what its files would have said, and when its triggers would have fired.
struct ReplayedScope {
    /// Where its files would be.
    let place: SensorPlace
    /// Whether the policy watches it.
    var isOpen = false
    /// The triggers that the policy listens to.
    var listening: TriggerSet = []
    /// How many events of stalls the kernel would have sent while the policy listened.
    private(set) var events: UInt64 = 0

    private let header: RecordingHeader.Scope
    private var source: RecordedSource
    private var triggers: [(kind: PressureStall.Kind, model: TriggerModel)]
    private var limits: MemoryEvents?
    private var ticks = PeriodClock()
    private var average: UInt64 = 0
    private var hasEvent = false
    private let window: Duration
    /// Half of how far samples are apart: a timer that ends between two is taken to the nearer one.
    private let tolerance: Duration

    init(_ scope: RecordingHeader.Scope, plan: StallPlan, tolerance: Duration) {
        header = scope
        // The root of a cgroup namespace calls itself what the host is called.
        let path = scope.path == "/." ? "/" : scope.path
        place = scope.path == "/" ? .host : SensorPlace(cgroup: Cgroup(path: path, directory: scope.path))
        // What is configured now, and not what was when it was recorded.
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
        // Where both come at once the loop takes this one first, which tells more.
        triggers = kinds.map { kind in
            (kind, TriggerModel(threshold: plan.threshold(kind, in: window), window: window, rung: rung))
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
    /// - Returns: the triggers that fire, in the order in which the loop takes them; `nil` if the scope is gone.
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

    /// Counts an event that the policy hears of.
    mutating func count(_ trigger: PressureSensor.Trigger) {
        if trigger != .limits { events += 1 }
    }

    /// What opening it comes to.
    mutating func open(at now: MonotonicInstant) -> WatchOpening {
        let kinds = triggers.map { TriggerSet(.stalls($0.kind)) } + (limits == nil ? [] : [.limits])
        listening = kinds.reduce(into: []) { $0.formUnion($1) }
        return .opened(
            OpenedFiles(rung: header.rung, window: window, triggers: listening, first: readings(at: now))
        )
    }

    /// What its files said at the last sample.
    func readings(at now: MonotonicInstant) -> SensorReadings { source.readings(at: now) }

    /// How it stood at the last sample.
    func look(at now: MonotonicInstant) -> ScopeLook {
        ScopeLook(at: now, stalls: source.stalls(), headroom: source.headroom())
    }
}

extension Rung {
    /// Whether a rung is as good as another, or better.
    fileprivate static func <= (left: Self, right: Self) -> Bool { left.rawValue <= right.rawValue }
}
