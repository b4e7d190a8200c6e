internal import CLinux
internal import Synchronization

extension Flight {
    /// A waiting task or thread, which has to be woken exactly once.
    struct Waiter: Sendable {
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

    /// Waiters in order of arrival.
    ///
    /// Groups keep each change short, because the owner's lock is held during it: one list of 100 000 waiters would be
    /// copied as it grows, and searched for each waiter that is cancelled.
    struct Waiters: Sendable {
        /// Sorted; none is empty.
        private var groups: [[Waiter]] = []
        private(set) var count = 0
        private var threadCount = 0

        private static var groupSize: Int { 512 }

        init() {}

        init(_ waiter: Waiter) {
            add(waiter)
        }

        mutating func add(_ waiter: Waiter) {
            count += 1
            if waiter.thread != nil { threadCount += 1 }
            // Another task may have got its identity before, and the lock after.
            if let group = group(of: waiter.id) {
                groups[group].insert(waiter, at: groups[group].partitioningIndex { $0.id >= waiter.id })
            } else if let last = groups.indices.last, groups[last].count < Self.groupSize {
                groups[last].append(waiter)
            } else {
                groups.append([waiter])
            }
        }

        mutating func remove(_ id: FlightWaiterID) -> Waiter? {
            guard let group = group(of: id) else { return nil }
            let index = groups[group].partitioningIndex { $0.id >= id }
            return groups[group][index].id == id ? remove(at: index, of: group) : nil
        }

        /// Removes the first thread, or the first task if there is none; `nil` if nothing waits.
        mutating func removeNext() -> Waiter? {
            guard count > 0 else { return nil }
            guard threadCount > 0 else { return remove(at: 0, of: 0) }
            for (group, waiters) in groups.enumerated() {
                if let index = waiters.firstIndex(where: { $0.thread != nil }) { return remove(at: index, of: group) }
            }
            return nil
        }

        func wake(_ outcome: Outcome) {
            for waiter in groups.joined() { waiter.wake(outcome) }
        }

        /// The group whose range includes an identity; `nil` if it comes after all.
        private func group(of id: FlightWaiterID) -> Int? {
            let group = groups.partitioningIndex { group in group.last.map { $0.id >= id } ?? false }
            return group < groups.count ? group : nil
        }

        private mutating func remove(at index: Int, of group: Int) -> Waiter {
            let waiter = groups[group].remove(at: index)
            if groups[group].isEmpty { groups.remove(at: group) }
            count -= 1
            if waiter.thread != nil { threadCount -= 1 }
            return waiter
        }
    }
}

/// The identity of a waiter, unique in the process; a later one is greater.
struct FlightWaiterID: Comparable, Sendable {
    private static let last = Atomic<UInt64>(0)

    private let number = last.add(1, ordering: .relaxed).newValue

    static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

extension Array {
    /// The first index at which a condition holds that holds for all later elements too; the end if there is none.
    fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
