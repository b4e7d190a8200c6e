internal import CLinux
internal import Synchronization

extension Flight {
    /// A waiting task or thread, which has to be woken exactly once.
    struct Waiter: Identifiable, Sendable {
        enum Place: Sendable {
            case task(Continuation)
            case thread(ThreadGate<Outcome>, pthread_t)
        }

        let id: FlightWaiterID
        /// The load inside which it waits.
        let outer: LoadUnderWay?
        let place: Place

        /// The thread, if it is one.
        var thread: pthread_t? {
            if case .thread(_, let thread) = place { thread } else { nil }
        }

        func wake(_ outcome: Outcome) {
            switch place {
            case .task(let continuation): continuation.resume(with: outcome)
            case .thread(let gate, _): gate.open(with: outcome)
            }
        }
    }

    /// The waiters of one flight.
    struct Waiters: Sendable {
        /// In the order in which they began to wait.
        private var tasks = GroupedList<Waiter>()
        /// In order of arrival; they cannot be cancelled.
        private var threads: [Waiter] = []

        init() {}

        init(_ waiter: Waiter) {
            add(waiter)
        }

        var count: Int { tasks.count + threads.count }

        mutating func add(_ waiter: Waiter) {
            if waiter.thread == nil { tasks.insert(waiter) } else { threads.append(waiter) }
        }

        /// Removes a task.
        mutating func remove(_ id: FlightWaiterID) -> Waiter? { tasks.remove(id) }

        /// Removes the first thread, or the first task if there is none; `nil` if nothing waits.
        mutating func removeNext() -> Waiter? { threads.isEmpty ? tasks.removeFirst() : threads.removeFirst() }

        func wake(_ outcome: Outcome) {
            for waiter in threads { waiter.wake(outcome) }
            for waiter in tasks { waiter.wake(outcome) }
        }
    }
}

/// The identity of a waiter, unique in the process; a later one is greater.
struct FlightWaiterID: Comparable, Hashable, Sendable {
    private static let last = Atomic<UInt64>(0)

    private let number = last.add(1, ordering: .relaxed).newValue

    static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}
