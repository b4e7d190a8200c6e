internal import MemoryPressure
internal import Synchronization

/// Keeps a process from loading everything at once what pressure has just taken from it.
///
/// From an event until 20 s after its end only so many loads run at a time, what is on screen first; at any other time
/// it is no more than one relaxed load of an atomic. What was under way when the event came is not counted, and what
/// begins inside a load that is under way never waits: the outer one would keep its permit until the inner one has one.
///
/// Waiting loads go on when one ends, when one has been counted for long enough, and when the time after pressure is
/// over. For the last two one task sleeps, while loads wait and at no other time.
package final class LoadLimiter: Sendable {
    /// The process's own.
    package static let shared = LoadLimiter()

    /// How long it stays active after pressure: a ``RecoveringLimit`` of a tenth has grown back after 14 s.
    package static let aftermath: UInt64 = 20_000_000_000
    /// The longest that a background load is put off.
    package static let longestJitter = Duration.milliseconds(250)

    private enum Answer {
        case cancelled
        case uncounted
        /// A permit with this number.
        case counted(UInt64)
    }

    private typealias Waiter = CheckedContinuation<Answer, Never>

    private struct Alarm {
        let number: UInt64
        let time: UInt64
        let task: Task<Void, Never>
    }

    private struct State {
        var limits: LoadLimits
        /// The permits that count, in the order in which they were given.
        var running: [(number: UInt64, since: UInt64)] = []
        /// The last number of a permit or an alarm.
        var lastNumber: UInt64 = 0
        /// A queue for each priority, the most important first.
        var queues = CachePriority.allCases.sorted(by: >).map {
            (priority: $0, waiters: RecencyList<ObjectIdentifier, Waiter>())
        }
        var alarm: Alarm?

        var hasRoom: Bool { running.count < limits.atOnce ?? .max }

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func count(from now: UInt64) -> Answer {
            running.append((nextNumber(), now))
            return .counted(lastNumber)
        }

        /// When the oldest permit no longer counts.
        var overdue: UInt64 {
            guard let oldest = running.first else { return .max }
            let (time, isNever) = oldest.since.addingReportingOverflow(UInt64(max(0, limits.countedFor.nanoseconds)))
            return isNever ? .max : time
        }

        mutating func forgetOverdue(at now: UInt64) {
            while overdue <= now { running.removeFirst() }
        }

        var isAnyWaiting: Bool { queues.contains { $0.waiters.count > 0 } }

        mutating func enqueue(_ waiter: Waiter, for load: LoadUnderWay) {
            let priority = load.priority
            for index in queues.indices where queues[index].priority == priority {
                _ = queues[index].waiters.insert(waiter, for: ObjectIdentifier(load), cost: 0)
            }
        }

        mutating func remove(_ load: LoadUnderWay) -> Waiter? {
            for index in queues.indices {
                if let waiter = queues[index].waiters.remove(ObjectIdentifier(load)) { return waiter }
            }
            return nil
        }

        mutating func next() -> Waiter? {
            for index in queues.indices {
                if let waiter = queues[index].waiters.removeOldest() { return waiter }
            }
            return nil
        }
    }

    /// When it ends: 0 if it is not active, the largest number while pressure lasts.
    private let end = Atomic<UInt64>(0)
    private let state: Guarded<State>
    private let now: @Sendable () -> UInt64
    private let sleep: @Sendable (_ time: UInt64) async throws -> Void

    /// A limiter that is not active.
    ///
    /// - Parameters:
    ///   - limits: How many loads run at once, and for how long each counts.
    ///   - clock: Measures all times, and has the one task sleep.
    package init<C: Clock>(limits: LoadLimits = LoadLimits(), clock: C = .suspending) where C.Duration == Duration {
        state = Guarded(State(limits: limits))
        let start = clock.now
        now = { UInt64(max(0, start.duration(to: clock.now).nanoseconds)) }
        sleep = { time in
            try await clock.sleep(until: start.advanced(by: .nanoseconds(Int64(clamping: time))), tolerance: nil)
        }
    }

    /// How many loads run at once, and for how long each counts.
    package var limits: LoadLimits {
        get { state.withLock { $0.limits } }
        set { update { $0.limits = newValue } }
    }

    /// Whether loads are limited now.
    package var isActive: Bool {
        let end = end.load(ordering: .relaxed)
        guard end != 0 else { return false }
        guard end != .max, now() >= end else { return true }
        // Unless new pressure has come meanwhile.
        let (isOver, _) = self.end.compareExchange(expected: end, desired: 0, ordering: .relaxed)
        return !isOver
    }

    /// Limits loads from now on.
    package func pressureDidBegin() {
        end.store(.max, ordering: .relaxed)
    }

    /// Limits loads for another ``aftermath``; does nothing if that has begun already.
    package func pressureDidEnd() {
        guard end.load(ordering: .relaxed) == .max else { return }
        let (hasBegun, _) = end.compareExchange(expected: .max, desired: now() + Self.aftermath, ordering: .relaxed)
        if hasBegun { update { _ in } }
    }

    /// Limits no load any more, and has those that wait go on.
    func stop() {
        end.store(0, ordering: .relaxed)
        update { $0.limits = .off }
    }

    /// Waits until a load may run: those on screen first, then those off screen, then what is fetched ahead, each in
    /// order of arrival.
    ///
    /// Runs in the caller's isolation, and does not suspend if there is room, or if the load runs inside another one.
    ///
    /// - Parameter load: The load.
    /// - Returns: The permit, to be kept until the load has ended.
    /// - Throws: `CancellationError` if the task is cancelled while it waits; it no longer stands in the queue then.
    package nonisolated(nonsending) func acquire(_ load: LoadUnderWay) async throws(CancellationError) -> LoadPermit {
        if let permit = tryAcquire(load) { return permit }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in wait(waiter, load) }
        } onCancel: {
            var waiter: Waiter?
            update { waiter = $0.remove(load) }
            waiter?.resume(returning: .cancelled)
        }
        switch answer {
        case .cancelled: throw CancellationError()
        case .uncounted: return LoadPermit()
        case .counted(let number): return LoadPermit(from: self, number: number)
        }
    }

    /// A permit if there is room, without waiting.
    ///
    /// For loads that block their thread. They must not wait, as the loads they would wait for may need the thread: one
    /// that gets `nil` runs all the same, and is not counted.
    package func tryAcquire(_ load: LoadUnderWay) -> LoadPermit? {
        guard isActive, !load.passes else { return LoadPermit() }
        let number = state.withLock { state -> UInt64? in
            let now = now()
            state.forgetOverdue(at: now)
            guard state.hasRoom, case .counted(let number) = state.count(from: now) else { return nil }
            return number
        }
        return number.map { LoadPermit(from: self, number: $0) }
    }

    /// Notes that a load's value is needed here too: it takes the more important place, and if this runs inside a load
    /// it waits no longer.
    ///
    /// - Parameters:
    ///   - load: The load, which may wait, or be about to.
    ///   - priority: What the value is needed for.
    package func join(_ load: LoadUnderWay, _ priority: CachePriority) {
        guard load.join(priority), isActive else { return }
        var freed: Waiter?
        update { state in
            guard let waiter = state.remove(load) else { return }
            if load.passes { freed = waiter } else { state.enqueue(waiter, for: load) }
        }
        freed?.resume(returning: .uncounted)
    }

    /// How long to put off a load in the background: a random time while loads are limited, else none.
    ///
    /// So the processes of one machine, which hear the same warning, do not reload in step.
    package func backgroundJitter(using generator: inout some RandomNumberGenerator) -> Duration {
        guard isActive else { return .zero }
        return .nanoseconds(Int64.random(in: 0...Self.longestJitter.nanoseconds, using: &generator))
    }

    /// Waits for so long, by the limiter's clock; ends early if the task is cancelled.
    func wait(for duration: Duration) async {
        if duration > .zero { try? await sleep(now() + UInt64(duration.nanoseconds)) }
    }

    func giveBack(_ number: UInt64) {
        update { state in state.running.removeAll { $0.number == number } }
    }

    private func wait(_ waiter: Waiter, _ load: LoadUnderWay) {
        var answer: Answer?
        update { state in
            // The handler may have run before there was anything to remove. Asked under the lock that it takes: either
            // this sees the cancellation, or the handler finds the waiter. The same goes for what joins the load.
            if Task.isCancelled {
                answer = .cancelled
            } else if load.passes {
                answer = .uncounted
            } else {
                state.enqueue(waiter, for: load)
            }
        }
        if let answer { waiter.resume(returning: answer) }
    }

    /// Changes the state, and has those loads go on that need not wait any more.
    private func update(_ change: (inout State) -> Void) {
        let isLimited = isActive
        let ready = state.withLock { state in
            change(&state)
            let now = now()
            state.forgetOverdue(at: now)
            var ready: [(Waiter, Answer)] = []
            while !isLimited || state.hasRoom, let waiter = state.next() {
                ready.append((waiter, isLimited ? state.count(from: now) : .uncounted))
            }
            setAlarm(&state)
            return ready
        }
        for (waiter, answer) in ready { waiter.resume(returning: answer) }
    }

    /// With the lock held: has a task look again when a permit no longer counts, or when the time after pressure ends.
    private func setAlarm(_ state: inout State) {
        guard state.isAnyWaiting else {
            state.alarm?.task.cancel()
            state.alarm = nil
            return
        }
        let time = min(state.overdue, end.load(ordering: .relaxed))
        // One that rings too early is set anew then.
        guard time < state.alarm?.time ?? .max else { return }
        state.alarm?.task.cancel()
        let number = state.nextNumber()
        // Loads wait for it, whatever their tasks' priorities are.
        let task = Task.detached(priority: .high) { [weak self, sleep] in
            try? await sleep(time)
            self?.update { if $0.alarm?.number == number { $0.alarm = nil } }
        }
        state.alarm = Alarm(number: number, time: time, task: task)
    }
}
