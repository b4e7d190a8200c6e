internal import CLinux
internal import MemoryPressure

/// The loads of a cache under way, its failed loads, and the values that were read to be changed.
///
/// The policy's lock guards it. The results of its methods must not be destroyed under that lock, because keys and
/// errors may be the service's own objects.
struct LoadBook<Key: Hashable & Sendable, Value: Sendable> {
    /// One load under way; an object, because its leader and its waiters keep it after a manual change of the key.
    final class Load {
        var flight: Flight<Value>
        /// The highest of the priorities that callers have given; `nil` if the value keeps that of the present one.
        private(set) var priority: CachePriority?
        /// The priority of the present value when the load began, for the case that it expires.
        let former: CachePriority

        init(_ run: LoadUnderWay, _ terms: LoadTerms, replacing former: CachePriority, leader: pthread_t?) {
            flight = Flight(run, leader: leader)
            self.former = former
            join(terms)
        }

        /// Records the terms of a caller that needs the value.
        func join(_ terms: LoadTerms) {
            if !terms.keepsPriority { priority = max(priority ?? .prefetched, terms.priority) }
        }
    }

    /// The load that a task has joined, for the handler of its cancellation.
    // `@unchecked`: the policy's lock guards it.
    final class Joined: @unchecked Sendable {
        var load: Load?
    }

    private struct Failure {
        var error: any Error
        /// In nanoseconds of the cache's clock.
        var ends: UInt64
        var count: UInt64
    }

    /// The loads whose values are to be stored: a manual change of its key removes a load, while tasks may still wait for it.
    private var loads = ShardedDictionary<Key, Load>(shards: 64)
    private var failures: [Key: Failure] = [:]
    /// By key, the numbers of the watches that have seen no change yet: of readers that have to know whether another value was
    /// stored for the key, or the value was removed by a call.
    private var watches = ShardedDictionary<Key, [UInt64]>(shards: 64)
    /// By watch, the threads whose closures change the value.
    private var threads: [UInt64: pthread_t] = [:]
    private var lastWatch: UInt64 = 0
    /// The number of manual changes of keys while changes were tracked.
    private(set) var changes: UInt64 = 0

    /// At this number of failures an eighth of them is forgotten for another, those that expire first.
    private static var mostFailures: Int { 1024 }

    /// The number of loads by threads that must not wait for the leader of a load.
    var loadsAlone = 0

    /// Whether manual changes have to be recorded.
    var recordsChanges: Bool { !loads.isEmpty || !failures.isEmpty || !watches.isEmpty || loadsAlone > 0 }

    mutating func begin(
        _ key: Key,
        _ run: LoadUnderWay,
        _ terms: LoadTerms,
        replacing former: CachePriority = .offScreen,
        leader: pthread_t? = nil
    ) -> Load {
        let load = Load(run, terms, replacing: former, leader: leader)
        // A dictionary never finds a key again that does not equal itself, such as NaN.
        if key == key { loads.add(load, for: key) }
        return load
    }

    /// The load of a key.
    func load(of key: Key) -> Load? { loads[key] }

    /// Whether the result of the load is to be stored.
    func isCurrent(_ load: Load, for key: Key) -> Bool {
        loads[key] === load
    }

    mutating func end(_ load: Load, for key: Key) -> Any? {
        isCurrent(load, for: key) ? loads.remove(key) : nil
    }

    /// Records a manual change of a key: a load of the key under way is outdated, and so is its failure.
    mutating func noteChange(of key: Key) -> Any? {
        changes += 1
        let watches = noteStore(of: key)
        let load = loads.remove(key)
        let failure = forgetFailure(of: key)
        return load == nil && failure == nil && watches == nil ? nil : (load, failure, watches)
    }

    mutating func noteChangeOfAll() -> Any {
        changes += 1
        refuseChange { _ in true }
        defer { failures = [:] }
        return (loads.removeAll(), failures, watches.removeAll())
    }

    private mutating func forgetFailure(of key: Key) -> (key: Key, value: Failure)? {
        failures.index(forKey: key).map { failures.remove(at: $0) }
    }

    /// The remembered error of a key, which a load would only repeat.
    func failure(of key: Key, at clock: CacheClock) -> (any Error)? {
        guard !failures.isEmpty, let failure = failures[key], clock.now() < failure.ends else { return nil }
        return failure.error
    }

    mutating func noteSuccess(of key: Key) -> Any? {
        forgetFailure(of: key)
    }

    mutating func note(_ error: any Error, of key: Key, at now: UInt64, timeToLive: Duration) -> Any {
        let before = failures.count >= Self.mostFailures && failures[key] == nil ? failures : nil
        if before != nil {
            let first = failures.map { (key: $0.key, ends: $0.value.ends) }.sorted { $0.ends < $1.ends }
            for (key, _) in first.prefix(Self.mostFailures / 8) { failures[key] = nil }
        }
        let count = (failures[key]?.count ?? 0) + 1
        // Twice as long each time, up to 32 times.
        let time = UInt64(max(0, timeToLive.nanoseconds)).multipliedReportingOverflow(by: 1 << min(count - 1, 5))
        let ends = now.addingReportingOverflow(time.overflow ? .max : time.partialValue)
        let failure = Failure(error: error, ends: ends.overflow ? .max : ends.partialValue, count: count)
        return (before, failures.updateValue(failure, forKey: key))
    }
}

// Values that were read to be changed, or to be confirmed by a load.
extension LoadBook {
    /// Begins to watch a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - thread: The thread whose closure changes the value, and which must not change it in another way until
    ///     ``endThread(of:)``.
    /// - Returns: The number of the watch, for ``endWatch(_:for:)``; 0 for a key that does not equal itself, which no
    ///   change can concern.
    mutating func watch(_ key: Key, by thread: pthread_t?) -> UInt64 {
        guard key == key else { return 0 }
        lastWatch += 1
        let number = lastWatch
        if watches[key] == nil { watches.add([number], for: key) } else { watches.change(key) { $0.append(number) } }
        threads[number] = thread
        return number
    }

    /// Whether no other value was stored for the key since the watch began, and none was removed by a call.
    func isUntouched(_ number: UInt64, for key: Key) -> Bool {
        number == 0 || watches[key]?.contains(number) ?? false
    }

    /// Records that the closure of an update has returned.
    mutating func endThread(of number: UInt64) {
        threads[number] = nil
    }

    mutating func endWatch(_ number: UInt64, for key: Key) -> Any? {
        endThread(of: number)
        var isLast = false
        watches.change(key) { numbers in
            numbers.removeAll { $0 == number }
            isLast = numbers.isEmpty
        }
        return isLast ? watches.remove(key) : nil
    }

    /// Records that another value was stored for the key, or loaded and not kept.
    mutating func noteStore(of key: Key) -> Any? {
        guard let numbers = watches[key] else { return nil }
        refuseChange { numbers.contains($0) }
        return watches.remove(key)
    }

    private func refuseChange(where isConcerned: (UInt64) -> Bool) {
        guard !threads.isEmpty else { return }
        let thread = pthread_self()
        // Otherwise the update would find its value changed each time, and never end.
        precondition(
            !threads.contains { isConcerned($0.key) && $0.value == thread },
            "the closure of an update also changes or loads the same value in another way"
        )
    }
}
