package import MemoryPressure

/// How one scope is observed: its rung, the polled triggers, the times of readings, and when files that could not be
/// opened are tried again.
///
/// A value: it requests the opening and reading of files through ``Effects``, and is fed the results.
package struct Watch: Sendable {
    /// The location of the scope's files.
    package let place: SensorPlace
    /// The level, its reason, and when it began; `normal` without files.
    package private(set) var machine: LevelMachine
    /// The error of the last attempt to open the files, if it failed.
    package private(set) var failure: KernelError?
    /// Why the rung is no higher; empty on the top rung.
    package private(set) var rungReason = ""

    private let scope: ScopeID
    private var policy: SensorPolicy
    /// The rules for the open files; `nil` if none are open.
    private var judge: PressureJudge?
    /// The thresholds of the armed triggers.
    private var armed: StallPlan?
    /// The existing triggers, and the polled ones among them.
    private var triggers: TriggerSet = []
    private var listening: TriggerSet = []
    /// Whether the program is notified when a limit or the accounting changes.
    private var watchesChanges = false
    /// Whether the files are dead and are being replaced.
    private var isLost = false
    /// When the files are read next, and when they are opened again.
    private var look: MonotonicInstant?
    private var looked: MonotonicInstant
    /// When a limit changed last: files that are being opened may have been read before that.
    private var moved: MonotonicInstant?
    private var retry: MonotonicInstant?
    private var retryPause = Self.shortestRetry
    private var opened: MonotonicInstant?
    /// Whether ``retry`` is due to a switch of the accounting.
    private var reopens = false
    /// The thresholds of the files that are being opened, and whether they have to be opened once more after that.
    private var opening: StallPlan?
    private var opensAgain = false

    /// A failed opening needs memory or a descriptor that another program has to release: that takes seconds at best,
    /// and the retries must not wake the daemon for ever.
    private static let shortestRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(64)
    /// A user may switch the accounting of hundreds of cgroups endlessly, and for each trigger of a reopened scope the
    /// kernel takes some 25 ms to close the old one.
    private static let turn = Duration.milliseconds(100)
    /// Without notices of changed limits, the daemon has to read them.
    private static let longestUnheard = Duration.seconds(10)

    /// Starts without files, at a level that lasts until readings change it.
    init(_ scope: ScopeID, _ place: SensorPlace, _ policy: SensorPolicy, level: PressureLevel, at now: MonotonicInstant)
    {
        (self.scope, self.place, self.policy) = (scope, place, policy)
        machine = LevelMachine(policy: policy.levels, level: level, at: now)
        looked = MonotonicInstant(nanoseconds: 0)
    }

    // MARK: State

    package var level: PressureLevel { machine.level }
    /// Whether its files were open at any time.
    var wasOpen: Bool { opened != nil }
    /// Whether the scope is gone, as far as the files show.
    var isGone: Bool { judge == nil && failure?.meansGone == true }
    /// The rung of the ladder; `nil` while nothing can be read.
    package var rung: Rung? { judge?.rung }
    /// The window of the triggers, or the interval between readings while readings decide; zero without files.
    package var window: Duration { judge?.window ?? .zero }
    /// The last judged reading.
    package var reading: PressureReading? { judge?.reading }
    /// How fast headroom shrinks at present, in hundredths of a percent of the limit a second.
    package var shrinking: Double { judge?.shrinking ?? 0 }
    /// How often the limits were reached so far.
    package var limitEvents: MemoryEvents { judge?.limitEvents ?? MemoryEvents() }
    /// The number of events that were not believed.
    package var suppressed: UInt64 { judge?.suppressed ?? 0 }
    /// The pause before the next reading while the scope is calm and near a limit; `nil` otherwise.
    package var samplingPause: Duration? {
        guard let judge, !judge.isSampling else { return nil }
        return watchesChanges ? judge.pause : min(judge.pause ?? Self.longestUnheard, Self.longestUnheard)
    }

    /// When ``elapse(at:slack:_:)`` is due.
    ///
    /// Inlined and without another call, because each call copies the whole watch.
    @inline(__always)
    var due: MonotonicInstant? {
        guard let look, let retry else { return look ?? retry }
        return look.nanoseconds < retry.nanoseconds ? look : retry
    }

    // MARK: Opening

    /// Opens the files; if an opening is under way, after it.
    mutating func open(_ effects: inout Effects) {
        guard opening == nil else {
            opensAgain = true
            return
        }
        opening = policy.stalls
        effects.append(.open(scope, place, policy.stalls))
    }

    /// Handles the result of an opening.
    ///
    /// - Returns: the change to announce.
    mutating func take(
        _ opening: WatchOpening,
        at now: MonotonicInstant,
        _ effects: inout Effects
    )
        -> LevelMachine.Change?
    {
        let plan = self.opening ?? policy.stalls
        // Rules that changed in the meantime apply without delay; a reopening that a user can cause endlessly waits.
        let again =
            plan != policy.stalls ? now : opensAgain ? now.advanced(by: Self.shortestRetry) : reopens ? retry : nil
        (self.opening, opensAgain) = (nil, false)
        defer { retry = .earlier(retry, again) }
        switch opening {
        case .opened(let files):
            var rules = policy
            rules.stalls = plan
            var next = PressureJudge(rung: files.rung, window: files.window, policy: rules, first: files.first)
            next.resume(from: machine, after: judge)
            judge = next
            armed = plan
            (triggers, listening) = (files.triggers, files.triggers)
            rungReason = files.rungReason
            watchesChanges = files.watchesChanges
            (failure, isLost, opened) = (nil, false, now)
            if files.isShort { tryAgain(at: now) } else { (retry, retryPause) = (nil, Self.shortestRetry) }
            wait(at: now)
            listen(&effects)
            // Memory may be short already, or may have become short since the reading.
            let isShort = files.first.headroom.map { $0.share < policy.levels.headroom(above: level) ?? .zero } ?? false
            if isShort || moved.map({ $0 >= files.first.at }) ?? false { lookSoon(at: now) }
            return nil
        case .failed(let error):
            failure = error
            tryAgain(at: now)
            // The previous files are open and stay in use.
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

    /// Applies new rules; triggers with changed thresholds are armed again as soon as there is time.
    mutating func follow(_ policy: SensorPolicy, at now: MonotonicInstant) {
        self.policy = policy
        machine.policy = policy.levels
        judge?.policy.levels = policy.levels
        if opening == nil, let armed, armed != policy.stalls { (retry, retryPause) = (now, Self.shortestRetry) }
    }

    /// Reopens the files because another rung may be the best now; at most once a second, however often the owner of
    /// the cgroup switches its accounting.
    ///
    /// - Parameters:
    ///   - now: The present.
    ///   - last: The latest time at which a scope's files are reopened for this reason; all scopes take turns.
    mutating func reopen(at now: MonotonicInstant, after last: inout MonotonicInstant) {
        guard !reopens else { return }
        reopens = true
        last = max(now, last.advanced(by: Self.turn))
        let earliest = opened.map { $0.advanced(by: Self.shortestRetry) } ?? now
        (retry, retryPause) = (max(last, earliest), Self.shortestRetry)
    }

    // MARK: Readings

    /// Handles an event of a trigger.
    mutating func fired(_ trigger: PressureSensor.Trigger, at now: MonotonicInstant, _ effects: inout Effects) {
        guard !isLost, let reads = judge?.begin(.event(trigger), at: now) else { return }
        effects.append(.read(scope, reads))
    }

    /// Handles a change of a limit.
    mutating func limitsMoved(at now: MonotonicInstant, _ effects: inout Effects) {
        moved = now
        guard !isLost, judge != nil else { return }
        // A program that changes limits endlessly cannot make the daemon read them more often than near limits.
        let next = looked.advanced(by: policy.sampling.often)
        guard next <= now else {
            look = look.map { min($0, next) } ?? next
            return
        }
        begin(at: now, &effects)
    }

    /// Schedules a reading, because another scope's reading shows that a shared limit is near.
    mutating func lookSoon(at now: MonotonicInstant) {
        guard !isLost, judge != nil else { return }
        let next = max(now, looked.advanced(by: policy.sampling.often))
        look = look.map { min($0, next) } ?? next
    }

    private mutating func begin(at now: MonotonicInstant, _ effects: inout Effects) {
        let occasion: PressureJudge.Occasion = isDeaf ? .deafTick : .tick
        guard let reads = judge?.begin(occasion, at: now) else { return }
        looked = now
        // This holds until the readings arrive; if none arrive, the scope is read again.
        look = now.advanced(by: policy.sampling.standing)
        effects.append(.read(scope, reads))
    }

    /// Whether a reading or an opening is due until `latest`; nothing is read twice at one instant.
    ///
    /// Inlined and without another call, because each call copies the whole watch.
    @inline(__always)
    func isDue(at now: MonotonicInstant, before latest: MonotonicInstant) -> Bool {
        if let retry, retry.nanoseconds <= latest.nanoseconds { return true }
        guard let look else { return false }
        return look.nanoseconds <= latest.nanoseconds && looked.nanoseconds < now.nanoseconds
    }

    /// Requests the readings and openings that are due.
    mutating func elapse(at now: MonotonicInstant, slack: Duration, _ effects: inout Effects) {
        if let retry, retry <= now.advanced(by: slack) {
            (self.retry, reopens) = (nil, false)
            open(&effects)
        }
        if let look, look <= now.advanced(by: slack), looked < now { begin(at: now, &effects) }
    }

    /// Handles readings; ``listen(_:)`` follows once a change is announced.
    ///
    /// - Returns: the change to announce.
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
            // Without a copy of the whole judge.
            machine = judge?.machine ?? machine
            wait(at: now)
            return change
        }
    }

    /// Handles a file that could not be read, or a dead trigger.
    mutating func lose(_ error: KernelError, at now: MonotonicInstant, _ effects: inout Effects) {
        guard judge != nil, !isLost else { return }
        guard !error.isTemporary else {
            // This is temporary.
            look = now.advanced(by: Self.shortestRetry)
            return
        }
        isLost = true
        look = nil
        // Files that die as soon as they are opened are not reopened endlessly.
        if let opened, opened.duration(to: now) < Self.shortestRetry {
            retry = now.advanced(by: Self.shortestRetry)
        } else {
            open(&effects)
        }
    }

    /// Whether a wanted trigger could not be polled.
    private var isDeaf: Bool { !wanted.isSubset(of: listening) }

    /// The triggers whose events count now.
    private var wanted: TriggerSet { judge?.wanted(among: triggers) ?? [] }

    /// Handles triggers that could not be polled: the scope is read until they can be.
    mutating func deafen(at now: MonotonicInstant) {
        listening = []
        guard let judge, !isLost else { return }
        let next = now.advanced(by: judge.window)
        look = look.map { min($0, next) } ?? next
    }

    private mutating func wait(at now: MonotonicInstant) {
        guard judge != nil else { return }
        look = judge?.due
        if !watchesChanges { look = .earlier(look, now.advanced(by: Self.longestUnheard)) }
    }

    /// Requests polling of the triggers that count now, if others are polled.
    ///
    /// A separate step, because a warning does not wait for it: each trigger takes a system call.
    mutating func listen(_ effects: inout Effects) {
        guard judge != nil, !isLost else { return }
        let wanted = wanted
        guard wanted != listening else { return }
        listening = wanted
        effects.append(.listen(scope, wanted))
    }
}
