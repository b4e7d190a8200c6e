internal import MemoryPressure

// For the hit, which is inlined into the caller: without that it costs five times as much.

/// Where a value lies between its load and its drop, and the flight that loads it.
///
/// All that ``Reloadable`` and ``AsyncReloadable`` have in common. Loaders run, and values end, without the lock, and a
/// value is copied out of the slot with it only.
@usableFromInline
struct ReloadableSlot<Value: Sendable>: ~Copyable, Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var value: Value?
        var cost = 0
        /// The level of pressure that lasts, as far as it was told, and the one of them under which the value was loaded.
        var level = PressureLevel.normal
        var levelOfLoad = PressureLevel.normal
        var flight: Flight<Value>?
        /// How many loads have begun.
        var loadCount: UInt64 = 0
        /// The newest reload that has succeeded; what older loads bring is out of date.
        var lastReload: UInt64 = 0

        mutating func take() -> Loaded? {
            defer { cost = 0 }
            return value.take().map { Loaded($0, cost: cost) }
        }

        mutating func beginFlight(isLedByThread: Bool) -> LoadUnderWay {
            let load = LoadUnderWay()
            flight = Flight(load, isLedByThread: isLedByThread)
            return load
        }
    }

    /// What a loader made.
    struct Loaded {
        let value: Value
        let cost: Int

        init(_ value: Value, cost: Int) {
            precondition(cost >= 0, "the cost of a reloadable value is a number of bytes, not \(cost)")
            self.value = value
            self.cost = cost
        }
    }

    /// What a load is for.
    enum Purpose {
        /// It fills the slot, and ends the flight.
        case lead
        /// It fills the slot if that is still empty then.
        case alone
        /// It puts something new in the place of what is there.
        case reload
    }

    @usableFromInline let state = Guarded(State())

    /// The value, if it is there.
    @inlinable var value: Value? {
        state.withLock { $0.value }
    }

    /// Whether anything but the slot has the value, if that can be seen.
    private let references = SoleReference<Value?>()

    /// Lets go of the value, and returns its cost, or `nil` if there was none.
    func drop() -> Int? {
        state.withLock { $0.take() }?.cost
    }

    /// Notes that a load begins, and returns its number.
    func beginLoad(_ purpose: Purpose, isInThread: Bool) -> UInt64 {
        state.withLock { state in
            if purpose == .lead { state.flight?.isLedByThread = isInThread }
            state.loadCount += 1
            return state.loadCount
        }
    }

    /// Takes in what a load has brought, gives it to all that wait, and returns what its own caller gets.
    ///
    /// The first to arrive stays, so that all that read at the same time have the same; only a reload replaces it.
    func store(_ loaded: Loaded, of load: UInt64, _ purpose: Purpose) -> Value {
        let (value, waiters, _) = state.withLock { state in
            let isOutdated = load < state.lastReload
            if purpose == .reload, !isOutdated { state.lastReload = load }
            // It ends after the lock is left.
            let replaced = purpose == .reload && !isOutdated ? state.value.take() : nil
            let value = state.value ?? loaded.value
            if state.value == nil, !isOutdated {
                state.value = value
                state.cost = loaded.cost
                state.levelOfLoad = state.level
            }
            let waiters = state.flight?.land() ?? []
            if purpose == .lead { state.flight = nil }
            return (value, waiters, replaced)
        }
        for waiter in waiters { waiter.wake(.success(.value(value))) }
        return value
    }

    /// Ends the flight with its leader's error, or hands it over if only the leader's task was cancelled.
    func fail(_ error: any Error) {
        let isCancelled = Task.isCancelled
        let (waiters, outcome) = state.withLock { state -> ([Flight<Value>.Waiter], Flight<Value>.Outcome) in
            if isCancelled, let next = state.flight?.handOver(), let load = state.flight?.load {
                return ([next], .success(.lead(load)))
            }
            defer { state.flight = nil }
            return (state.flight?.land() ?? [], .failure(error))
        }
        for waiter in waiters { waiter.wake(outcome) }
    }
}

// Want of memory.
extension ReloadableSlot {
    /// What would be freed if the value went now.
    var releasableCost: Int {
        state.withLock { references.isShared(&$0.value) ? 0 : $0.cost }
    }

    /// Lets go of the value if that is asked for and frees anything; what is only being made stays (rule 2.18).
    ///
    /// What is in use would not be freed, and the next load would make another one beside it. And while a level lasts
    /// the value goes for it once: it was loaded again because it is needed.
    func reclaim(_ demand: ReclaimDemand, _ pacer: ReclaimPacer) {
        let bytes = state.withLock { state -> Loaded? in
            let wasLoadedUnderIt = state.levelOfLoad >= demand.level
            state.level = demand.level
            // The next rise is one for this value too.
            state.levelOfLoad = min(state.levelOfLoad, demand.level)
            let isAsked = demand.bytes.map { $0 > 0 } ?? !wasLoadedUnderIt
            return isAsked && !references.isShared(&state.value) ? state.take() : nil
        }?.cost
        if let bytes { pacer.didDrop(bytes) }
    }

    func pressureDidEnd() {
        state.withLock { state in
            state.level = .normal
            state.levelOfLoad = .normal
        }
    }
}
