/// What several threads did with one key of a cache at the same time, and whether that is as if each had done it alone.
struct CacheHistory {
    enum Call: Sendable {
        case get(found: Int?)
        case set(Int)
        case remove(found: Int?)
        case update(found: Int?, made: Int?)
    }

    /// A call, and when it began and ended, by a clock that all threads share.
    struct Operation: Sendable {
        var call: Call
        var begin: Int
        var end: Int
    }

    var operations: [Operation]

    /// Whether there is an order of all calls that respects who came after whose end, and in which each of them finds
    /// what was stored last (Wing and Gong, 1993).
    ///
    /// - Parameter value: What the key had before.
    /// - Returns: `false` if there is none.
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
