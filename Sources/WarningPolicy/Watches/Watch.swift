package import MemoryPressure

/// How one scope is observed: its rung, what is listened to, when it is looked at, and when what could not be opened is
/// tried again.
///
/// A value: it asks for files to be opened and read through ``Effects``, and is told what came of that.
package struct Watch: Sendable {
    /// Where the scope's files are.
    package let place: SensorPlace
    /// The level, its reason, and since when; `normal` without files.
    package private(set) var machine: LevelMachine
    /// Why the files could not be opened the last time, if they could not.
    package private(set) var failure: KernelError?
    /// Why the rung is no higher; empty on the top rung.
    package private(set) var rungReason = ""

    private let scope: ScopeID
    private var policy: SensorPolicy
    /// The rules for the files that are open; `nil` where none are.
    private var judge: PressureJudge?
    /// What the triggers that are armed were armed for.
    private var armed: StallPlan?
    /// The triggers that there are, and of them those that are polled.
    private var triggers: TriggerSet = []
    private var listening: TriggerSet = []
    /// Whether the program is told when a limit, or the accounting, is changed.
    private var hearsMoves = false
    /// Whether the files are dead, and others are being opened in their place.
    private var isLost = false
    /// When the files are looked at, and when they are opened again.
    private var look: MonotonicInstant?
    private var looked: MonotonicInstant
    /// When a limit was moved last: files that are being opened may have been read before.
    private var moved: MonotonicInstant?
    private var retry: MonotonicInstant?
    private var retryPause = Self.shortestRetry
    private var opened: MonotonicInstant?
    /// Whether ``retry`` is for a switch of the accounting.
    private var reopens = false
    /// What the files that are being opened are armed for, and whether others are wanted after them.
    private var opening: StallPlan?
    private var opensAgain = false

    /// What could not be opened takes memory or a descriptor that another program has to give back: that takes seconds at
    /// best, and must not wake the daemon for ever.
    private static let shortestRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(64)
    /// A user may switch the accounting of hundreds of cgroups without end, and for each trigger of a scope that is opened
    /// anew the kernel takes some 25 ms to close the former one.
    private static let turn = Duration.milliseconds(100)
    /// Without being told of limits that are set, the daemon has to look for them.
    private static let longestUnheard = Duration.seconds(10)

    /// Starts without files, at a level that is held until readings say otherwise.
    init(_ scope: ScopeID, _ place: SensorPlace, _ policy: SensorPolicy, level: PressureLevel, at now: MonotonicInstant)
    {
        (self.scope, self.place, self.policy) = (scope, place, policy)
        machine = LevelMachine(policy: policy.levels, level: level, at: now)
        looked = MonotonicInstant(nanoseconds: 0)
    }

    // MARK: What is known

    package var level: PressureLevel { machine.level }
    /// Whether its files were open at any time.
    var wasOpen: Bool { opened != nil }
    /// Whether the scope is gone, as far as the files tell.
    var isGone: Bool { judge == nil && failure?.saysGone == true }
    /// The rung of the ladder; `nil` while nothing can be read.
    package var rung: Rung? { judge?.rung }
    /// The window of the triggers, or how often to read while readings decide; in a scope without files zero.
    package var window: Duration { judge?.window ?? .zero }
    /// The reading that was judged last.
    package var reading: PressureReading? { judge?.reading }
    /// How often the limits were met so far.
    package var limitEvents: MemoryEvents { judge?.limitEvents ?? MemoryEvents() }
    /// Events that were not believed.
    package var suppressed: UInt64 { judge?.suppressed ?? 0 }
    /// How long the next look waits while the scope is calm and near a limit; `nil` if it is not.
    package var samplingPause: Duration? {
        guard let judge, !judge.isSampling else { return nil }
        return hearsMoves ? judge.pause : min(judge.pause ?? Self.longestUnheard, Self.longestUnheard)
    }

    /// When ``elapse(at:_:)`` has something to do.
    var due: MonotonicInstant? { .earlier(look, retry) }

    // MARK: Opening

    /// Has the files opened; while others are being opened, after them.
    mutating func open(_ effects: inout Effects) {
        guard opening == nil else {
            opensAgain = true
            return
        }
        opening = policy.stalls
        effects.append(.open(scope, place, policy.stalls))
    }

    /// Takes in what came of that.
    ///
    /// - Returns: what there is to announce.
    mutating func take(
        _ opening: WatchOpening,
        at now: MonotonicInstant,
        _ effects: inout Effects
    )
        -> LevelMachine.Change?
    {
        let plan = self.opening ?? policy.stalls
        // Rules that changed meanwhile wait for nothing; what a user can have opened anew, without end, waits.
        let again =
            plan != policy.stalls ? now : opensAgain ? now.advanced(by: Self.shortestRetry) : reopens ? retry : nil
        (self.opening, opensAgain) = (nil, false)
        defer { retry = .earlier(retry, again) }
        switch opening {
        case .opened(let files):
            var rules = policy
            rules.stalls = plan
            var next = PressureJudge(rung: files.rung, window: files.window, policy: rules, first: files.first)
            next.goOn(from: machine)
            judge = next
            armed = plan
            (triggers, listening) = (files.triggers, files.triggers)
            rungReason = files.rungReason
            hearsMoves = files.hearsMoves
            (failure, isLost, opened) = (nil, false, now)
            if files.isShort { tryAgain(at: now) } else { (retry, retryPause) = (nil, Self.shortestRetry) }
            wait(at: now, &effects)
            // It may be short already, or may have become so since it was read.
            let isShort = files.first.headroom.map { $0.share < policy.levels.headroom(above: level) ?? .zero } ?? false
            if isShort || moved.map({ $0 >= files.first.at }) ?? false { lookSoon(at: now) }
            return nil
        case .failed(let error):
            failure = error
            tryAgain(at: now)
            // Others are open, and go on.
            guard judge == nil || isLost else {
                if armed != policy.stalls { effects.append(.noteOldThresholds(error)) }
                return nil
            }
            forget()
            return end(at: now)
        }
    }

    private mutating func tryAgain(at now: MonotonicInstant) {
        retry = now.advanced(by: retryPause)
        retryPause = min(retryPause * 2, Self.longestRetry)
    }

    /// No level outlives its evidence.
    private mutating func end(at now: MonotonicInstant) -> LevelMachine.Change? {
        let level = machine.level
        guard level > .normal else { return nil }
        machine = LevelMachine(policy: policy.levels, level: .normal, at: now)
        return .fell(from: level)
    }

    private mutating func forget() {
        judge = nil
        armed = nil
        (triggers, listening) = ([], [])
        rungReason = ""
        (isLost, look) = (false, nil)
    }

    /// Goes by new rules; triggers that are to fire for something else are armed anew as soon as there is time.
    mutating func follow(_ policy: SensorPolicy, at now: MonotonicInstant) {
        self.policy = policy
        machine.policy = policy.levels
        judge?.policy.levels = policy.levels
        if opening == nil, let armed, armed != policy.stalls { (retry, retryPause) = (now, Self.shortestRetry) }
    }

    /// Another rung may be the best one: the files are opened anew, once a second at most, as often as the owner of the
    /// cgroup switches its accounting.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - last: when the files of a scope are opened for that the last time; all scopes take turns.
    mutating func reopen(at now: MonotonicInstant, after last: inout MonotonicInstant) {
        guard !reopens else { return }
        reopens = true
        last = max(now, last.advanced(by: Self.turn))
        let earliest = opened.map { $0.advanced(by: Self.shortestRetry) } ?? now
        (retry, retryPause) = (max(last, earliest), Self.shortestRetry)
    }

    // MARK: Readings

    /// A trigger fired.
    mutating func fired(_ trigger: PressureSensor.Trigger, at now: MonotonicInstant, _ effects: inout Effects) {
        guard !isLost, let reads = judge?.begin(.event(trigger), at: now) else { return }
        effects.append(.read(scope, reads))
    }

    /// A limit was set, lowered or lifted.
    mutating func limitsMoved(at now: MonotonicInstant, _ effects: inout Effects) {
        moved = now
        guard !isLost, judge != nil else { return }
        // A program that moves limits without end does not have them looked at more often than those that are near.
        let next = looked.advanced(by: policy.sampling.often)
        guard next <= now else {
            look = look.map { min($0, next) } ?? next
            return
        }
        begin(at: now, &effects)
    }

    /// Another scope's reading says that a limit which holds here too is near: it is looked at when there is time.
    mutating func lookSoon(at now: MonotonicInstant) {
        guard !isLost, judge != nil else { return }
        let next = max(now, looked.advanced(by: policy.sampling.often))
        look = look.map { min($0, next) } ?? next
    }

    private mutating func begin(at now: MonotonicInstant, _ effects: inout Effects) {
        let occasion: PressureJudge.Occasion = isDeaf ? .deafTick : .tick
        guard let reads = judge?.begin(occasion, at: now) else { return }
        looked = now
        // Until the readings are there; should none come, it is looked at again.
        look = now.advanced(by: policy.sampling.standing)
        effects.append(.read(scope, reads))
    }

    /// Whether it is time to look, or to open files again, but for so much; nothing is looked at twice at an instant.
    func isDue(at now: MonotonicInstant, slack: Duration) -> Bool {
        let latest = now.advanced(by: slack)
        return retry.map { $0 <= latest } ?? false || look.map { $0 <= latest && looked < now } ?? false
    }

    /// Does what is due.
    mutating func elapse(at now: MonotonicInstant, slack: Duration, _ effects: inout Effects) {
        if let retry, retry <= now.advanced(by: slack) {
            (self.retry, reopens) = (nil, false)
            open(&effects)
        }
        if let look, look <= now.advanced(by: slack), looked < now { begin(at: now, &effects) }
    }

    /// Takes in what was read.
    ///
    /// - Returns: what there is to announce.
    mutating func take(
        _ readings: SensorReadings,
        at now: MonotonicInstant,
        _ effects: inout Effects
    )
        -> LevelMachine.Change?
    {
        guard !isLost, let step = judge?.take(readings) else { return nil }
        switch step {
        case .read(let more):
            effects.append(.read(scope, more))
            return nil
        case .disbelieved:
            return nil
        case .done(let change):
            if let judge { machine = judge.machine }
            wait(at: now, &effects)
            return change
        }
    }

    /// A file could not be read, or a trigger is dead.
    mutating func lose(_ error: KernelError, at now: MonotonicInstant, _ effects: inout Effects) {
        guard judge != nil, !isLost else { return }
        guard !error.saysShort else {
            // That passes.
            look = now.advanced(by: Self.shortestRetry)
            return
        }
        isLost = true
        look = nil
        // What dies as soon as it is opened is not opened without end.
        if let opened, opened.duration(to: now) < Self.shortestRetry {
            retry = now.advanced(by: Self.shortestRetry)
        } else {
            open(&effects)
        }
    }

    /// Whether a trigger that is waited for could not be polled.
    private var isDeaf: Bool { !wanted.isSubset(of: listening) }

    /// The triggers that are waited for now.
    private var wanted: TriggerSet { judge?.heard(of: triggers) ?? [] }

    /// Triggers could not be polled: the scope has to be read until they can.
    mutating func deafen(at now: MonotonicInstant) {
        listening = []
        guard let judge, !isLost else { return }
        let next = now.advanced(by: judge.window)
        look = look.map { min($0, next) } ?? next
    }

    private mutating func wait(at now: MonotonicInstant, _ effects: inout Effects) {
        guard judge != nil else { return }
        let wanted = wanted
        if wanted != listening {
            listening = wanted
            effects.append(.listen(scope, wanted))
        }
        look = judge?.due
        if !hearsMoves { look = .earlier(look, now.advanced(by: Self.longestUnheard)) }
    }
}
