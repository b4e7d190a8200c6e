internal import MemoryPressure
internal import ResourceCaches

/// Waits for concurrent calls on actors, up to a time limit.
struct ActorAnswers {
    private let answers: AsyncAnswers

    /// Begins the calls; a delivery waits for all of them together, for as long as a warning of this level waits.
    init(_ calls: [@Sendable () async -> Int], at level: PressureLevel) {
        answers = AsyncAnswers(patience: level.patienceForActors)
        for call in calls {
            let promise = answers.promise(0)
            // High priority, since a warning waits for the calls, whatever the priority of the task that delivers it.
            Task.detached(priority: .high) { promise.keep(max(0, await call())) }
        }
    }

    /// The bytes released by the calls that ended in time.
    nonisolated(nonsending) func released() async -> Int {
        await withCheckedContinuation { continuation in
            // A timer of Swift's needs a thread of its pool, and all of them may be busy with the calls.
            WorkThread().perform { continuation.resume(returning: answers.collect()) }
        }
    }
}
