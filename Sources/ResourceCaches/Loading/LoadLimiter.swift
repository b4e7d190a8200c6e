internal import MemoryPressure
internal import Synchronization

/// Keeps a process from reloading at once everything that pressure has just taken from it.
///
/// From an event until 20 s after its end it limits the number of concurrent loads, those on screen first; at any other
/// time it costs one relaxed load of an atomic. Loads that were under way at the event are not counted, and a load that
/// begins inside another never waits: the outer load would keep its permit until the inner one has its own.
///
/// Waiting loads continue when a load ends, when a load has counted for long enough, and when the time after pressure
/// is over. For the last two one task sleeps, only while loads wait.
package final class LoadLimiter: Sendable {
    /// The limiter of the process.
    package static let shared = LoadLimiter()

    /// How long it stays active after pressure: a ``RecoveringLimit`` of a tenth has recovered after 14 s.
    package static let aftermath: UInt64 = 20_000_000_000
    /// The longest delay of a background load.
    package let longestJitter: Duration

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
        /// The counted permits, in the order in which they were given.
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
            guard overdue <= now else { return }
            let longest = UInt64(max(0, limits.countedFor.nanoseconds))
            running.removeFirst(running.prefix { now - min(now, $0.since) >= longest }.count)
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

    /// When the limit ends: 0 if it is not active, the maximum while pressure lasts.
    private let end = Atomic<UInt64>(0)
    private let state: Guarded<State>
    private let now: @Sendable () -> UInt64
    private let sleep: @Sendable (_ time: UInt64) async throws -> Void

    /// Creates an inactive limiter.
    ///
    /// - Parameters:
    ///   - limits: The number of concurrent loads, and how long each counts.
    ///   - longestJitter: The longest delay of a background load.
    ///   - clock: Measures all times; the one task sleeps on it.
    package init<C: Clock>(
        limits: LoadLimits = LoadLimits(),
        longestJitter: Duration = .milliseconds(250),
        clock: C = .suspending
    ) where C.Duration == Duration {
        self.longestJitter = longestJitter
        state = Guarded(State(limits: limits))
        let start = clock.now
        now = { UInt64(max(0, start.duration(to: clock.now).nanoseconds)) }
        sleep = { time in
            try await clock.sleep(until: start.advanced(by: .nanoseconds(Int64(clamping: time))), tolerance: nil)
        }
    }

    /// The number of concurrent loads, and how long each counts.
    package var limits: LoadLimits {
        get { state.withLock { $0.limits } }
        set { update { $0.limits = newValue } }
    }

    /// Whether loads are limited now.
    package var isActive: Bool {
        let end = end.load(ordering: .relaxed)
        guard end != 0 else { return false }
        guard end != .max, now() >= end else { return true }
        // Unless new pressure has come in the meantime.
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

    /// Ends the limit, and lets the waiting loads continue.
    func stop() {
        end.store(0, ordering: .relaxed)
        update { $0.limits = .off }
    }

    /// Waits until a load may run: those on screen first, then those off screen, then prefetching loads, each in order
    /// of arrival.
    ///
    /// Runs in the caller's isolation, and does not suspend if there is room, or if the load runs inside another one.
    ///
    /// - Parameter load: The load.
    /// - Returns: The permit, which the caller keeps until the load has ended.
    /// - Throws: `CancellationError` if the task is cancelled while it waits; it has then left the queue.
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

    /// Returns a permit if there is room, without waiting.
    ///
    /// For loads that block their thread. They must not wait, because the loads that they would wait for may need the
    /// thread: a load that gets `nil` runs nevertheless, and is not counted.
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

    /// Records that a load's value is needed here too: the load takes the higher priority, and if this code runs inside
    /// a load, it no longer waits.
    ///
    /// - Parameters:
    ///   - load: The load, which may be waiting or about to wait.
    ///   - priority: The purpose for which the value is needed.
    package func join(_ load: LoadUnderWay, _ priority: CachePriority) {
        guard load.join(priority), isActive else { return }
        var freed: Waiter?
        update { state in
            guard let waiter = state.remove(load) else { return }
            if load.passes { freed = waiter } else { state.enqueue(waiter, for: load) }
        }
        freed?.resume(returning: .uncounted)
    }

    /// The delay of a background load: random while loads are limited, otherwise none.
    ///
    /// So the processes of one machine, which receive the same warning, do not reload at the same time.
    package func backgroundJitter(using generator: inout some RandomNumberGenerator) -> Duration {
        guard isActive else { return .zero }
        return .nanoseconds(Int64.random(in: 0...longestJitter.nanoseconds, using: &generator))
    }

    /// Waits for a duration of the limiter's clock; ends early if the task is cancelled.
    func wait(for duration: Duration) async {
        if duration > .zero { try? await sleep(now() + UInt64(duration.nanoseconds)) }
    }

    func giveBack(_ number: UInt64) {
        update { state in state.running.removeAll { $0.number == number } }
    }

    private func wait(_ waiter: Waiter, _ load: LoadUnderWay) {
        var answer: Answer?
        update { state in
            // The handler may have run before the waiter was added. This check is under the lock that the handler
            // takes: either it sees the cancellation, or the handler finds the waiter. The same applies to callers that
            // join the load.
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

    /// The number of loads that continue under one hold of the lock: all of 100 000 would hold it for tens of milliseconds.
    private static let mostAtOnce = 64

    /// Changes the state, and lets loads continue that no longer need to wait.
    private func update(_ change: (inout State) -> Void) {
        var ready = letSomeContinue(after: change)
        while ready == Self.mostAtOnce { ready = letSomeContinue { _ in } }
    }

    /// - Returns: The number of loads that continue.
    private func letSomeContinue(after change: (inout State) -> Void) -> Int {
        let isLimited = isActive
        let ready = state.withLock { state in
            change(&state)
            let now = now()
            state.forgetOverdue(at: now)
            var ready: [(Waiter, Answer)] = []
            while ready.count < Self.mostAtOnce, !isLimited || state.hasRoom, let waiter = state.next() {
                ready.append((waiter, isLimited ? state.count(from: now) : .uncounted))
            }
            setAlarm(&state)
            return ready
        }
        for (waiter, answer) in ready { waiter.resume(returning: answer) }
        return ready.count
    }

    /// Schedules a task for the time when a permit no longer counts, or when the time after pressure ends.
    ///
    /// The caller holds the lock.
    private func setAlarm(_ state: inout State) {
        guard state.isAnyWaiting else {
            state.alarm?.task.cancel()
            state.alarm = nil
            return
        }
        let time = min(state.overdue, end.load(ordering: .relaxed))
        // An alarm that is too early is set again when it fires.
        guard time < state.alarm?.time ?? .max else { return }
        state.alarm?.task.cancel()
        let number = state.nextNumber()
        // Loads wait for this task, whatever the priorities of their own tasks.
        let task = Task.detached(priority: .high) { [weak self, sleep] in
            try? await sleep(time)
            self?.update { if $0.alarm?.number == number { $0.alarm = nil } }
        }
        state.alarm = Alarm(number: number, time: time, task: task)
    }
}
