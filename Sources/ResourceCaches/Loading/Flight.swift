internal import CLinux
internal import Synchronization

/// One load in progress, with the tasks and threads that wait for its outcome.
///
/// A value that its owner keeps under the owner's lock. It runs and resumes nothing: the caller wakes the waiters that
/// its methods return, after the lock is free.
///
/// The task or thread that finds no flight makes one and leads it: it runs the loader. Then it either ``land()``s the
/// flight, with a value or an error for all waiters, or, if its own task was cancelled, hands it over to the first of
/// them (``handOver()``). An error never outlives its flight.
struct Flight<Value: Sendable>: Sendable {
    /// The outcome for a waiter: the value, or the lead, with this load.
    enum Turn: Sendable {
        case value(Value)
        case lead(LoadUnderWay)
    }

    typealias Outcome = Result<Turn, any Error>
    // Unsafe, because few places resume it: a checked continuation costs 100 ns instead of 40.
    typealias Continuation = UnsafeContinuation<Turn, any Error>

    private(set) var load: LoadUnderWay
    /// The thread that leads, so that other threads may wait for it; `nil` if a task leads.
    ///
    /// A suspended task may need the very thread that is blocked. A task that takes over a load and runs it without
    /// suspending counts as a thread from then on.
    var leader: pthread_t?
    private var waiters = Waiters()

    /// Creates a flight that the caller leads.
    init(_ load: LoadUnderWay, leader: pthread_t?) {
        self.load = load
        self.leader = leader
    }

    /// The number of waiters.
    var waiterCount: Int { waiters.count }

    /// Adds a task, which ``cancel(_:)`` can remove again.
    ///
    /// - Returns: `nil` if it waits, or ``CacheLoadError/circular`` if it would wait for itself.
    mutating func wait(_ id: FlightWaiterID, _ continuation: Continuation) -> Outcome? {
        if load.isAroundHere { return .failure(CacheLoadError.circular) }
        waiters.add(Waiter(id: id, outer: .current, place: .task(continuation)))
        return nil
    }

    /// Adds the thread, which then has to wait at the gate; `nil` if a task leads, or this thread does: then it has to
    /// load by itself.
    ///
    /// The leader is asked for its own value outside of its loader by removal handlers and destructors, which run when it
    /// makes room and when it stores the value. In its loader it would wait for itself, and traps.
    mutating func wait() -> ThreadGate<Outcome>? {
        guard let leader else { return nil }
        precondition(!load.isAroundHere, "\(CacheLoadError.circular)")
        let thread = pthread_self()
        guard pthread_equal(leader, thread) == 0 else { return nil }
        let gate = ThreadGate<Outcome>()
        waiters.add(Waiter(id: FlightWaiterID(), outer: .current, place: .thread(gate, thread)))
        return gate
    }

    /// Removes a cancelled task; `nil` if it is not waiting.
    mutating func cancel(_ id: FlightWaiterID) -> Waiter? {
        waiters.remove(id)
    }

    /// Makes the first waiter lead, in place of a cancelled task: the caller wakes it with ``Turn/lead(_:)`` and the
    /// flight's new ``load``.
    ///
    /// Threads come before tasks, because they may wait only while a thread leads.
    ///
    /// - Returns: The new leader, or `nil` if nothing waits and the flight is over.
    mutating func handOver() -> Waiters? {
        guard let next = waiters.removeNext() else { return nil }
        load = LoadUnderWay(after: load, in: next.outer)
        leader = next.thread
        return Waiters(next)
    }

    /// Ends the flight; returns all waiters, which the caller wakes with the outcome.
    mutating func land() -> Waiters {
        defer { waiters = Waiters() }
        return waiters
    }
}

extension Flight {
    /// Suspends the task until its turn, or until it is cancelled.
    ///
    /// - Parameters:
    ///   - join: Under the owner's lock, either returns an outcome at once (the value; or `lead`, after it has created
    ///     a flight), or the result of ``wait(_:_:)``.
    ///   - cancel: Under the owner's lock, calls ``cancel(_:)`` of the present flight, if any; it need not be the
    ///     joined flight.
    /// - Returns: The value, or `lead`: then the caller runs the loader and ends the flight, even if the caller is
    ///   cancelled.
    /// - Throws: The leader's error; `CancellationError` as soon as the task is cancelled, while the load continues;
    ///   ``CacheLoadError/circular``.
    nonisolated(nonsending) static func turn(
        join: (FlightWaiterID, Continuation) -> Outcome?,
        cancel: @Sendable (FlightWaiterID) -> Waiter?
    ) async throws -> Turn {
        let id = FlightWaiterID()
        var hasWaited = false
        // If a continuation is resumed before its task suspends, the thread sanitizer does not see the transfer. The
        // owner's lock, which the leader has held since it made the value, makes it visible; the waiter has already
        // been removed.
        defer { if hasWaited { _ = cancel(id) } }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                if let outcome = join(id, continuation) { return continuation.resume(with: outcome) }
                hasWaited = true
                // The handler may have run before the waiter was added. If it also runs now, only one of the two finds
                // the waiter.
                if Task.isCancelled { cancel(id)?.wake(.failure(CancellationError())) }
            }
        } onCancel: {
            cancel(id)?.wake(.failure(CancellationError()))
        }
    }
}
