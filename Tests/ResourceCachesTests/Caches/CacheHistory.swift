/// The calls of several threads for one key of a cache, and a check whether some sequential order explains their results.
struct CacheHistory {
    enum Call: Sendable {
        case get(found: Int?)
        case set(Int)
        case remove(found: Int?)
        case update(found: Int?, made: Int?)
    }

    /// A call with the times of its begin and end, on a clock that all threads share.
    struct Operation: Sendable {
        var call: Call
        var begin: Int
        var end: Int
    }

    var operations: [Operation]

    /// Whether there is a sequential order of all calls that keeps a call after each call that ended before it began,
    /// and in which each call finds the value that was stored last (Wing and Gong, 1993).
    ///
    /// - Parameter value: The key's value before the first call.
    /// - Returns: `false` if there is no such order.
    func isLinearisable(from value: Int? = nil) -> Bool {
        precondition(operations.count <= 64, "done operations are bits of a word")
        var seen: Set<State> = []
        return canFinish(State(done: 0, value: value), &seen)
    }

    private struct State: Hashable {
        var done: UInt64
        var value: Int?
    }

    private func canFinish(_ state: State, _ seen: inout Set<State>) -> Bool {
        if state.done.nonzeroBitCount == operations.count { return true }
        guard seen.insert(state).inserted else { return false }
        let open = operations.indices.filter { state.done & 1 << $0 == 0 }
        let firstEnd = open.map { operations[$0].end }.min() ?? 0
        for index in open where operations[index].begin <= firstEnd {
            var next = State(done: state.done | 1 << index, value: state.value)
            switch operations[index].call {
            case .get(let found): guard found == state.value else { continue }
            case .set(let value): next.value = value
            case .remove(let found):
                guard found == state.value else { continue }
                next.value = nil
            case .update(let found, let made):
                guard found == state.value else { continue }
                next.value = made
            }
            if canFinish(next, &seen) { return true }
        }
        return false
    }
}
