internal import Synchronization

/// One load in progress, and who waits for what comes of it.
///
/// A value, kept by its owner under the owner's own lock. It runs nothing and resumes nobody: what its methods return
/// is to be woken by the caller after the lock is left.
///
/// Who finds no flight makes one and is its leader, which runs the loader in its own task or thread. Then the leader
/// either ``land()``s, with a value or an error for all that wait, or, if its own task was cancelled, hands the flight
/// over to the first of them (``handOver()``). An error never outlives its flight.
struct Flight<Value: Sendable>: Sendable {
    /// What one that waited wakes up to: the value, or that it is the leader now.
    enum Turn: Sendable {
        case value(Value)
        case lead
    }

    typealias Outcome = Result<Turn, any Error>
    // Unsafe, as it is resumed in few places: checked it costs 100 ns instead of 40.
    typealias Continuation = UnsafeContinuation<Turn, any Error>

    private struct Entry {
        let id: FlightWaiterID
        let leader: FlightLeader
        let waiter: Waiter
    }

    /// Who runs the loader; what a task was handed, and does without suspending, it may take over as a thread.
    var leader: FlightLeader
    /// In order of arrival.
    private var entries: [Entry] = []

    /// A flight that the caller leads.
    init(ledBy leader: FlightLeader) {
        self.leader = leader
    }

    /// How many wait.
    var waiterCount: Int { entries.count }

    /// Adds a task, which ``cancel(_:)`` can take out again.
    ///
    /// Traps if the task is the leader, whose loader then waits for itself.
    mutating func wait(_ id: FlightWaiterID, _ continuation: Continuation) {
        let task = FlightLeader.currentTask
        task.refuseToWait(for: leader)
        entries.append(Entry(id: id, leader: task, waiter: .task(continuation)))
    }

    /// Adds the thread, which then has to wait at the gate; `nil` if a task leads, so that the thread has to load by
    /// itself.
    ///
    /// Traps if the thread is the leader.
    mutating func wait() -> ThreadGate<Outcome>? {
        guard leader.isThread else { return nil }
        let thread = FlightLeader.currentThread
        thread.refuseToWait(for: leader)
        let gate = ThreadGate<Outcome>()
        entries.append(Entry(id: FlightWaiterID(), leader: thread, waiter: .thread(gate)))
        return gate
    }

    /// Takes a task out that was cancelled; `nil` if it does not wait, or no longer.
    mutating func cancel(_ id: FlightWaiterID) -> Waiter? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0).waiter }
    }

    /// Makes the first that waits the leader, for one whose task was cancelled: wake it with ``Turn/lead``.
    ///
    /// Threads come before tasks, as they may wait only while a thread leads.
    ///
    /// - Returns: The new leader, or `nil` if nobody waits, and the flight is over.
    mutating func handOver() -> Waiter? {
        guard !entries.isEmpty else { return nil }
        let next = entries.remove(at: entries.firstIndex { $0.leader.isThread } ?? 0)
        leader = next.leader
        return next.waiter
    }

    /// Ends the wait of all, in order of arrival: wake them with the outcome.
    mutating func land() -> [Waiter] {
        defer { entries = [] }
        return entries.map(\.waiter)
    }
}

extension Flight {
    /// Somebody who waits, to be woken once.
    enum Waiter: Sendable {
        case task(Continuation)
        case thread(ThreadGate<Outcome>)

        func wake(_ outcome: Outcome) {
            switch self {
            case .task(let continuation): continuation.resume(with: outcome)
            case .thread(let gate): gate.open(with: outcome)
            }
        }
    }

    /// Suspends the task until it is its turn, or its task is cancelled.
    ///
    /// - Parameters:
    ///   - join: Under the owner's lock, looks what there is: either returns an outcome at once (the value; or `lead`,
    ///     after it has made a flight), or calls ``wait(_:_:)`` and returns `nil`.
    ///   - cancel: Under the owner's lock, calls ``cancel(_:)`` of the flight that is there, if any. Whether that is the
    ///     one that was joined does not matter.
    /// - Returns: The value, or `lead`: then the caller runs the loader and ends the flight, even if it is cancelled.
    /// - Throws: The leader's error; `CancellationError` as soon as the task is cancelled, while the load goes on.
    nonisolated(nonsending) static func turn(
        join: (FlightWaiterID, Continuation) -> Outcome?,
        cancel: @Sendable (FlightWaiterID) -> Waiter?
    ) async throws -> Turn {
        let id = FlightWaiterID()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                if let outcome = join(id, continuation) { return continuation.resume(with: outcome) }
                // The handler may have run before there was anything to cancel. If it runs now as well, only one of the
                // two finds the waiter.
                if Task.isCancelled { cancel(id)?.wake(.failure(CancellationError())) }
            }
        } onCancel: {
            cancel(id)?.wake(.failure(CancellationError()))
        }
    }
}

/// Which of those that wait; no two in a process are the same, whatever flight they are in.
struct FlightWaiterID: Equatable, Sendable {
    private static let last = Atomic<UInt64>(0)

    private let number = last.add(1, ordering: .relaxed).newValue
}
