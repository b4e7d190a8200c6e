internal import CLinux
internal import MemoryPressure

/// Which loads of a cache are under way and which have failed, and which values were read to be changed.
///
/// The policy's lock guards it. What its methods return must not end under that lock, as keys and errors may be objects
/// of the service's own.
struct LoadBook<Key: Hashable & Sendable, Value: Sendable> {
    /// One load under way; an object, since its leader keeps it after the key has been changed by hand.
    final class Load {
        var flight: Flight<Value>

        init(_ run: LoadUnderWay, isLedByThread: Bool) {
            flight = Flight(run, isLedByThread: isLedByThread)
        }
    }

    private struct Failure {
        var error: any Error
        /// In nanoseconds of the cache's clock.
        var ends: UInt64
        var count: UInt64
    }

    /// A reader that is to know whether another value was stored for the key since, or the value removed by hand.
    private struct Watch {
        let number: UInt64
        /// The thread whose closure changes the value meanwhile.
        var thread: pthread_t?
    }

    /// By key, those whose value is to be stored.
    private(set) var loads: [Key: Load] = [:]
    /// Those whose key was changed by hand, while tasks may still wait for them.
    private var detached: [Load] = []
    private var failures: [Key: Failure] = [:]
    /// By key, those that were told of no change yet.
    private var watches: [Key: [Watch]] = [:]
    private var lastWatch: UInt64 = 0
    /// How often a key was changed by hand while something was to be told of that.
    private(set) var changes: UInt64 = 0

    /// Beyond that many failures, those whose time is up are forgotten, and if that does not help all are.
    private static var mostFailures: Int { 1024 }

    /// How many load by themselves, as they may not wait for the one whose turn it is.
    var loadsAlone = 0

    /// Whether anything is to be told of changes by hand.
    var isConcerned: Bool { !loads.isEmpty || !failures.isEmpty || !watches.isEmpty || loadsAlone > 0 }

    mutating func begin(_ key: Key, _ run: LoadUnderWay, isLedByThread: Bool = false) -> Load {
        let load = Load(run, isLedByThread: isLedByThread)
        loads[key] = load
        return load
    }

    /// Whether what the load brings is to be stored.
    func isCurrent(_ load: Load, for key: Key) -> Bool {
        loads[key] === load
    }

    mutating func end(_ load: Load, for key: Key) -> Any? {
        if isCurrent(load, for: key) { return loads.index(forKey: key).map { loads.remove(at: $0) } }
        return detached.firstIndex { $0 === load }.map { detached.remove(at: $0) }
    }

    mutating func cancel(_ id: FlightWaiterID, for key: Key) -> Flight<Value>.Waiter? {
        if let waiter = loads[key]?.flight.cancel(id) { return waiter }
        for load in detached { if let waiter = load.flight.cancel(id) { return waiter } }
        return nil
    }

    /// The key was changed by hand: what is being loaded for it is out of date, and so is its failure.
    mutating func noteChange(of key: Key) -> Any? {
        changes += 1
        let watches = noteStore(of: key)
        let load = loads.index(forKey: key).map { loads.remove(at: $0) }
        if let load { detached.append(load.value) }
        let failure = forgetFailure(of: key)
        return load == nil && failure == nil && watches == nil ? nil : (load?.key, failure, watches)
    }

    mutating func noteChangeOfAll() -> Any {
        changes += 1
        for watches in watches.values { Self.refuseChange(watches) }
        detached += loads.values
        defer { (loads, failures, watches) = ([:], [:], [:]) }
        return (loads, failures, watches)
    }

    private mutating func forgetFailure(of key: Key) -> (key: Key, value: Failure)? {
        failures.index(forKey: key).map { failures.remove(at: $0) }
    }

    /// The error that a load of the key would only repeat.
    func failure(of key: Key, at clock: CacheClock) -> (any Error)? {
        guard !failures.isEmpty, let failure = failures[key], clock.now() < failure.ends else { return nil }
        return failure.error
    }

    mutating func noteSuccess(of key: Key) -> Any? {
        forgetFailure(of: key)
    }

    mutating func note(_ error: any Error, of key: Key, at now: UInt64, timeToLive: Duration) -> Any {
        let before = failures
        if failures.count >= Self.mostFailures { failures = failures.filter { now < $0.value.ends } }
        if failures.count >= Self.mostFailures { failures = [:] }
        let count = (failures[key]?.count ?? 0) + 1
        // Twice as long each time, up to 32 times.
        let time = UInt64(max(0, timeToLive.nanoseconds)).multipliedReportingOverflow(by: 1 << min(count - 1, 5))
        let ends = now.addingReportingOverflow(time.overflow ? .max : time.partialValue)
        failures[key] = Failure(error: error, ends: ends.overflow ? .max : ends.partialValue, count: count)
        return before
    }
}

// Values that were read to be changed, or to be kept by a load.
extension LoadBook {
    /// Begins to watch a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - thread: The thread whose closure is to change the value, and which must not do so in another way until
    ///     ``endThread(of:for:)``.
    /// - Returns: The number of the watch, for ``endWatch(_:for:)``.
    mutating func watch(_ key: Key, by thread: pthread_t?) -> UInt64 {
        lastWatch += 1
        watches[key, default: []].append(Watch(number: lastWatch, thread: thread))
        return lastWatch
    }

    /// Whether no other value was stored for the key since the watch began, and none removed by hand.
    func isUntouched(_ number: UInt64, for key: Key) -> Bool {
        watches[key]?.contains { $0.number == number } ?? false
    }

    /// The closure has ended that was to change the value.
    mutating func endThread(of number: UInt64, for key: Key) {
        guard let index = watches[key]?.firstIndex(where: { $0.number == number }) else { return }
        watches[key]?[index].thread = nil
    }

    mutating func endWatch(_ number: UInt64, for key: Key) -> Any? {
        guard let place = watches.index(forKey: key) else { return nil }
        watches.values[place].removeAll { $0.number == number }
        return watches.values[place].isEmpty ? watches.remove(at: place) : nil
    }

    /// Another value was stored for the key, or loaded and not kept.
    mutating func noteStore(of key: Key) -> Any? {
        guard let place = watches.index(forKey: key) else { return nil }
        Self.refuseChange(watches[place].value)
        return watches.remove(at: place)
    }

    private static func refuseChange(_ watches: [Watch]) {
        let thread = pthread_self()
        // The update would find its value changed each time, and so never end.
        precondition(
            !watches.contains { $0.thread == thread },
            "the closure of an update changes or loads the value that it is to change in another way as well"
        )
    }
}
