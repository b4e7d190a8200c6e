import TestSupport

/// The events of a case, in order.
///
/// The moment within an operation at which a controller is deallocated is not fixed. The log therefore notes the
/// deallocation at the end of that operation. An operation that runs inside a callback counts as an operation of its
/// own.
final class EventLog: Sendable {
    private struct State {
        var events: [Event] = []
        /// The deallocations within each operation under way, the outermost operation first.
        var ends: [[Event]] = []
    }

    private let state = Locked(State())

    func record(_ event: Event) {
        state.withLock { $0.events.append(event) }
    }

    func recordEnd(_ event: Event) {
        state.withLock { state in
            if state.ends.isEmpty {
                state.events.append(event)
            } else {
                state.ends[state.ends.count - 1].append(event)
            }
        }
    }

    /// The number of operations under way, each of which runs inside the one before.
    var depth: Int { state.withLock { $0.ends.count } }

    func beginOperation() {
        state.withLock { $0.ends.append([]) }
    }

    func endOperation() {
        state.withLock { state in
            guard let ends = state.ends.popLast() else { return }
            state.events += ends
        }
    }

    /// Returns the events since the previous call.
    func take() -> [Event] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }
}
