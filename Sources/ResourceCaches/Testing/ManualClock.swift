/// A clock that a test advances, and that wakes tasks that sleep on it.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        fileprivate var offset: Duration

        package func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        package func duration(to other: Self) -> Duration { other.offset - offset }
        package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var reached = Instant(offset: .zero)
        /// When it began to run by itself; `nil` while a test advances it.
        var start: ContinuousClock.Instant?
        var sleepers: [Int: Sleeper] = [:]
        var lastSleeper = 0

        var now: Instant { start.map { reached.advanced(by: $0.duration(to: .now)) } ?? reached }

        mutating func takeSleepers(where isWoken: (Sleeper) -> Bool) -> [CheckedContinuation<Void, any Error>] {
            let woken = sleepers.filter { isWoken($0.value) }
            for number in woken.keys { sleepers[number] = nil }
            return woken.values.map(\.continuation)
        }
    }

    private let state = Guarded(State())

    /// Creates a stopped clock.
    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }
    /// The number of tasks that sleep on it.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clock, and wakes the tasks whose time has come.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.reached = state.reached.advanced(by: duration)
            let now = state.now
            return state.takeSleepers { $0.deadline <= now }
        }
        for continuation in woken { continuation.resume() }
    }

    /// Lets the clock run by itself from now on, and wakes all sleeping tasks.
    func run() {
        let woken = state.withLock { state in
            state.start = .now
            return state.takeSleepers { _ in true }
        }
        for continuation in woken { continuation.resume() }
    }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    // This check is under the lock that the handler takes: the handler finds the sleeper, or the check
                    // sees the cancellation.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now || state.start != nil { return .success(()) }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
        let rest = now.duration(to: deadline)
        if rest > .zero { try await Task.sleep(for: rest) }
    }
}
