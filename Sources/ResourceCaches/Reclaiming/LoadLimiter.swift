internal import CLinux
internal import MemoryPressure
internal import Synchronization

/// Keeps a process from loading everything at once what pressure has just taken from it.
///
/// From an event until 20 s after its end only so many loads run at a time, what is on screen first; at any other time
/// it is no more than one relaxed load of an atomic. What was under way when the event came is not counted.
///
/// It has no timer: when the time is over, new loads pass at once, and those that wait go with the next that ends.
package final class LoadLimiter: Sendable {
    /// The process's own.
    package static let shared = LoadLimiter()

    /// How long it stays active after pressure: a ``RecoveringLimit`` of a tenth has grown back after 14 s.
    package static let aftermath: UInt64 = 20_000_000_000
    /// The longest that a background load is put off.
    package static let longestJitter = Duration.milliseconds(250)

    /// `false` if the task was cancelled.
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var running = 0
        var lastWaiter: UInt64 = 0
        /// A queue for each priority, the most important first.
        var queues = CachePriority.allCases.sorted(by: >).map { (priority: $0, waiters: RecencyList<UInt64, Waiter>()) }

        mutating func enqueue(_ waiter: Waiter, _ number: UInt64, _ priority: CachePriority) {
            for index in queues.indices where queues[index].priority == priority {
                _ = queues[index].waiters.insert(waiter, for: number, cost: 0)
            }
        }

        mutating func remove(_ number: UInt64) -> Waiter? {
            for index in queues.indices {
                if let waiter = queues[index].waiters.remove(number) { return waiter }
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
    private let state = Mutex(State())
    private let limit: Int
    private let now: @Sendable () -> UInt64

    /// A limiter that is not active.
    ///
    /// - Parameters:
    ///   - limit: How many loads run at once; without it two for each CPU, one that computes and one that waits.
    ///   - now: The time in nanoseconds.
    package init(limit: Int? = nil, now: @escaping @Sendable () -> UInt64 = { MonotonicInstant.now.nanoseconds }) {
        self.limit = limit ?? 2 * max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
        self.now = now
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
        _ = end.compareExchange(expected: .max, desired: now() + Self.aftermath, ordering: .relaxed)
    }

    /// Waits until a load may run: those on screen first, then those off screen, then what is fetched ahead, each in
    /// order of arrival.
    ///
    /// Runs in the caller's isolation, and does not suspend if there is room.
    ///
    /// - Parameter priority: What the value is loaded for.
    /// - Returns: The permit, to be kept until the load has ended.
    /// - Throws: `CancellationError` if the task is cancelled while it waits; it no longer stands in the queue then.
    package nonisolated(nonsending) func acquire(
        _ priority: CachePriority
    ) async throws(CancellationError) -> LoadPermit {
        if let permit = tryAcquire() { return permit }
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in wait(waiter, number, priority) }
        } onCancel: {
            state.withLock { $0.remove(number) }?.resume(returning: false)
        }
        guard isGranted else { throw CancellationError() }
        return LoadPermit(from: self)
    }

    /// A permit if there is room, without waiting.
    ///
    /// For loads that block their thread. They must not wait, as the loads they would wait for may need the thread: one
    /// that gets `nil` runs all the same, and is not counted.
    package func tryAcquire() -> LoadPermit? {
        guard isActive else { return LoadPermit(from: nil) }
        let isGranted = state.withLock { state in
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
        return isGranted ? LoadPermit(from: self) : nil
    }

    /// How long to put off a load that nobody waits for: a random time while loads are limited, else none.
    ///
    /// So the processes of one machine, which hear the same warning, do not reload in step.
    package func backgroundJitter(using generator: inout some RandomNumberGenerator) -> Duration {
        guard isActive else { return .zero }
        return .nanoseconds(Int64.random(in: 0...Self.longestJitter.nanoseconds, using: &generator))
    }

    func giveBack() {
        let isActive = isActive
        let waiters = state.withLock { state in
            state.running -= 1
            var waiters: [Waiter] = []
            while !isActive || state.running < limit, let waiter = state.next() {
                state.running += 1
                waiters.append(waiter)
            }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    private func wait(_ waiter: Waiter, _ number: UInt64, _ priority: CachePriority) {
        let outcome = state.withLock { state -> Bool? in
            // The handler may have run before there was anything to remove. Asked under the lock that it takes: either
            // this sees the cancellation, or the handler finds the waiter.
            if Task.isCancelled { return false }
            guard state.running >= limit else {
                state.running += 1
                return true
            }
            state.enqueue(waiter, number, priority)
            return nil
        }
        if let outcome { waiter.resume(returning: outcome) }
    }
}
