/// A list of events, in order.
final class Trace {
    private(set) var events: [String] = []

    func record(_ event: String) {
        events.append(event)
    }

    /// Returns the events since the previous call.
    func take() -> [String] {
        defer { events = [] }
        return events
    }
}
