internal import ResourceCaches

/// The calls of one kind to one actor: one at a time, with the newest value waiting for the end of the call under way.
final class ActorCalls<Value: Sendable>: Sendable {
    private struct State {
        var isUnderWay = false
        var next: Value?
    }

    private let state = Guarded(State())

    /// Whether ``perform(_:_:)`` has to be called with the value; otherwise the value waits, in place of one that
    /// waited before.
    ///
    /// Separate from the call: tasks that begin at the same time run in any order, and a level must not overtake a
    /// later one.
    func begin(_ value: Value) -> Bool {
        state.withLock { state in
            if state.isUnderWay { state.next = value }
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
    }

    /// Calls the actor, then again for the value that has arrived meanwhile; returns the sum of the results.
    func perform(_ value: Value, _ call: @Sendable (Value) async -> Int) async -> Int {
        var released = await call(value)
        while let next = takeNext() { released = released.addingSaturated(await call(next)) }
        return released
    }

    private func takeNext() -> Value? {
        state.withLock { state in
            let next = state.next.take()
            state.isUnderWay = next != nil
            return next
        }
    }
}
