internal import ResourceCaches

/// The calls of one observer on its actor: one at a time, and the newest value that waits for the end of the one under way.
final class ActorCalls<Owner: Actor, Value: Sendable>: Sendable {
    private struct State {
        var isUnderWay = false
        var next: Value?
    }

    let body: @Sendable (isolated Owner, Value) -> Int
    private let state = Guarded(State())

    init(_ body: @escaping @Sendable (isolated Owner, Value) -> Int) {
        self.body = body
    }

    /// Whether ``perform(_:on:)`` is to be called with the value; otherwise it has taken the place of the next one.
    ///
    /// Apart from the call, since tasks that begin at the same time run in any order and a level must not overtake a later one.
    func begin(_ value: Value) -> Bool {
        state.withLock { state in
            if state.isUnderWay { state.next = value }
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
    }

    /// Calls the actor, and once more with what has come meanwhile; returns what the calls gave back.
    func perform(_ value: Value, on owner: Owner) async -> Int {
        var released = await body(owner, value)
        while let next = takeNext() { released = released.addingSaturated(await body(owner, next)) }
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
