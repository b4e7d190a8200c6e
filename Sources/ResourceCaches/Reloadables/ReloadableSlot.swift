internal import CLinux

// Imported for the hit, which is inlined into the caller: otherwise it costs five times as much.

/// The storage of a value between its load and its drop, and the flight that loads it.
///
/// The common part of ``Reloadable`` and ``AsyncReloadable``. Loaders run, and values are destroyed, without the lock;
/// a value is copied out of the slot only under the lock.
@usableFromInline
struct ReloadableSlot<Value: Sendable>: ~Copyable, Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var value: Value?
        var cost = 0
        /// The number of the last rise of the level that the slot was told of, and of the one before the value was loaded.
        var rise: UInt64 = 0
        var riseOfLoad: UInt64 = 0
        var flight: Flight<Value>?
        /// The number of loads that have begun.
        var loadCount: UInt64 = 0
        /// The newest successful reload; results of older loads are outdated.
        var lastReload: UInt64 = 0

        mutating func take() -> Loaded? {
            defer { cost = 0 }
            return value.take().map { Loaded($0, cost: cost) }
        }

        mutating func beginFlight(inThread: Bool) -> LoadUnderWay {
            let load = LoadUnderWay()
            flight = Flight(load, leader: inThread ? pthread_self() : nil)
            return load
        }
    }

    /// The result of a loader.
    struct Loaded {
        let value: Value
        let cost: Int

        init(_ value: Value, cost: Int) {
            precondition(cost >= 0, "the cost of a reloadable value is a number of bytes, not \(cost)")
            self.value = value
            self.cost = cost
        }
    }

    /// The purpose of a load.
    enum Purpose {
        /// It fills the slot, and ends the flight.
        case lead
        /// It fills the slot if the slot is still empty.
        case alone
        /// It replaces the present value.
        case reload
    }

    @usableFromInline let state = Guarded(State())

    /// The value, if it is loaded.
    @inlinable var value: Value? {
        state.withLock { $0.value }
    }

    /// Checks whether other code than the slot holds the value, if that can be detected.
    private let references = SoleReference<Value?>()

    /// Drops the value, and returns its cost, or `nil` if there was none.
    func drop() -> Int? {
        state.withLock { $0.take() }?.cost
    }

    /// Records the beginning of a load, and returns its number.
    func beginLoad(_ purpose: Purpose, isInThread: Bool) -> UInt64 {
        state.withLock { state in
            if purpose == .lead { state.flight?.leader = isInThread ? pthread_self() : nil }
            state.loadCount += 1
            return state.loadCount
        }
    }

    /// Stores the result of a load, gives it to all waiters, and returns the value for its own caller.
    ///
    /// The first result is kept, so that all concurrent readers get the same; only a reload replaces it.
    func store(_ loaded: Loaded, of load: UInt64, _ purpose: Purpose) -> Value {
        let (value, waiters, _) = state.withLock { state in
            let isOutdated = load < state.lastReload
            if purpose == .reload, !isOutdated { state.lastReload = load }
            // The old value is destroyed after the lock is free.
            let replaced = purpose == .reload && !isOutdated ? state.value.take() : nil
            let value = state.value ?? loaded.value
            if state.value == nil, !isOutdated {
                state.value = value
                state.cost = loaded.cost
                state.riseOfLoad = state.rise
            }
            let waiters = state.flight?.land()
            if purpose == .lead { state.flight = nil }
            return (value, waiters, replaced)
        }
        waiters?.wake(.success(.value(value)))
        return value
    }

    /// Ends the flight with its leader's error, or hands the flight over if only the leader's task was cancelled.
    func fail(_ error: any Error) {
        let isCancelled = Task.isCancelled
        let (waiters, outcome) = state.withLock { state -> (Flight<Value>.Waiters?, Flight<Value>.Outcome) in
            if isCancelled, let next = state.flight?.handOver(), let load = state.flight?.load {
                return (next, .success(.lead(load)))
            }
            defer { state.flight = nil }
            return (state.flight?.land(), .failure(error))
        }
        waiters?.wake(outcome)
    }
}

// Memory warnings.
extension ReloadableSlot {
    /// The bytes that dropping the value would free now.
    var releasableCost: Int {
        state.withLock { references.isShared(&$0.value) ? 0 : $0.cost }
    }

    /// Drops the value if that is wanted and frees memory; a load under way continues (rule 2.18).
    ///
    /// A value in use would not be freed, and the next load would create another beside it. And a level drops the value
    /// only once while it lasts: the value was loaded again because it is needed.
    func reclaim(_ demand: ReclaimDemand, _ pacer: ReclaimPacer) {
        let bytes = state.withLock { state -> Loaded? in
            state.rise = max(state.rise, demand.rise)
            let isAsked = demand.bytes.map { $0 > 0 } ?? (state.riseOfLoad < demand.rise)
            return isAsked && !references.isShared(&state.value) ? state.take() : nil
        }.map { dropped in
            // A cache may have let go of the same object in this event: it counts once.
            max(dropped.cost, pacer.takeBytesHeld(by: references.object(of: dropped.value)))
        }
        if let bytes { pacer.didDrop(bytes) }
    }
}
