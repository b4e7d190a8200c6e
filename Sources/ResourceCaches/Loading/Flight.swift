internal import Synchronization

/// One load in progress, and what waits for its outcome.
///
/// A value, kept by its owner under the owner's own lock. It runs nothing and resumes nothing: what its methods return
/// is to be woken by the caller after the lock is left.
///
/// The task or thread that finds no flight makes one and leads it: it runs the loader. Then it either ``land()``s the
/// flight, with a value or an error for all that wait, or, if its own task was cancelled, hands it over to the first of
/// them (``handOver()``). An error never outlives its flight.
struct Flight<Value: Sendable>: Sendable {
    /// What a task or thread that waited wakes up to: the value, or that it leads now, with this load.
    enum Turn: Sendable {
        case value(Value)
        case lead(LoadUnderWay)
    }

    typealias Outcome = Result<Turn, any Error>
    // Unsafe, as it is resumed in few places: checked it costs 100 ns instead of 40.
    typealias Continuation = UnsafeContinuation<Turn, any Error>

    private struct Entry {
        let id: FlightWaiterID
        /// The load that it waits in.
        let outer: LoadUnderWay?
        let waiter: Waiter
    }

    private(set) var load: LoadUnderWay
    /// Whether a thread leads, which may be waited for by threads.
    ///
    /// A task that is suspended may need the very thread that is blocked. A task that was handed a load, and does it
    /// without suspending, is a thread from then on.
    var isLedByThread: Bool
    /// In order of arrival.
    private var entries: [Entry] = []

    /// A flight that the caller leads.
    init(_ load: LoadUnderWay, isLedByThread: Bool) {
        self.load = load
        self.isLedByThread = isLedByThread
    }

    /// How many wait.
    var waiterCount: Int { entries.count }

    /// Adds a task, which ``cancel(_:)`` can take out again.
    ///
    /// - Returns: `nil` if it waits, or ``CacheLoadError/circular`` if it would wait for itself.
    mutating func wait(_ id: FlightWaiterID, _ continuation: Continuation) -> Outcome? {
        if load.isAroundHere { return .failure(CacheLoadError.circular) }
        entries.append(Entry(id: id, outer: .current, waiter: .task(continuation)))
        return nil
    }

    /// Adds the thread, which then has to wait at the gate; `nil` if a task leads, so that the thread has to load by
    /// itself.
    ///
    /// Traps if the thread would wait for itself.
    mutating func wait() -> ThreadGate<Outcome>? {
        guard isLedByThread else { return nil }
        precondition(!load.isAroundHere, "a loader waits for the value that it is to load itself")
        let gate = ThreadGate<Outcome>()
        entries.append(Entry(id: FlightWaiterID(), outer: .current, waiter: .thread(gate)))
        return gate
    }

    /// Takes a task out that was cancelled; `nil` if it does not wait, or no longer.
    mutating func cancel(_ id: FlightWaiterID) -> Waiter? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0).waiter }
    }

    /// Has the first that waits lead, in the place of a task that was cancelled: wake it with ``Turn/lead(_:)`` and
    /// the flight's new ``load``.
    ///
    /// Threads come before tasks, as they may wait only while a thread leads.
    ///
    /// - Returns: What leads now, or `nil` if nothing waits, and the flight is over.
    mutating func handOver() -> Waiter? {
        guard !entries.isEmpty else { return nil }
        let next = entries.remove(at: entries.firstIndex { $0.waiter.isThread } ?? 0)
        load = LoadUnderWay(after: load, in: next.outer)
        isLedByThread = next.waiter.isThread
        return next.waiter
    }

    /// Ends the wait of all, in order of arrival: wake them with the outcome.
    mutating func land() -> [Waiter] {
        defer { entries = [] }
        return entries.map(\.waiter)
    }
}

extension Flight {
    /// A task or thread that waits, to be woken once.
    enum Waiter: Sendable {
        case task(Continuation)
        case thread(ThreadGate<Outcome>)

        var isThread: Bool {
            if case .thread = self { true } else { false }
        }

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
    ///     after it has made a flight), or what ``wait(_:_:)`` returns.
    ///   - cancel: Under the owner's lock, calls ``cancel(_:)`` of the flight that is there, if any. Whether that is the
    ///     one that was joined does not matter.
    /// - Returns: The value, or `lead`: then the caller runs the loader and ends the flight, even if it is cancelled.
    /// - Throws: The leader's error; `CancellationError` as soon as the task is cancelled, while the load goes on;
    ///   ``CacheLoadError/circular``.
    nonisolated(nonsending) static func turn(
        join: (FlightWaiterID, Continuation) -> Outcome?,
        cancel: @Sendable (FlightWaiterID) -> Waiter?
    ) async throws -> Turn {
        let id = FlightWaiterID()
        var hasWaited = false
        // A continuation that is resumed before its task suspends hands over in a way that the thread sanitizer does not
        // see. The owner's lock, which the leader has had since it made the value, shows it; the waiter is long gone.
        defer { if hasWaited { _ = cancel(id) } }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                if let outcome = join(id, continuation) { return continuation.resume(with: outcome) }
                hasWaited = true
                // The handler may have run before there was anything to cancel. If it runs now as well, only one of the
                // two finds the waiter.
                if Task.isCancelled { cancel(id)?.wake(.failure(CancellationError())) }
            }
        } onCancel: {
            cancel(id)?.wake(.failure(CancellationError()))
        }
    }
}

/// Which of those that wait; different for each in a process, whatever flight it is in.
struct FlightWaiterID: Equatable, Sendable {
    private static let last = Atomic<UInt64>(0)

    private let number = last.add(1, ordering: .relaxed).newValue
}
