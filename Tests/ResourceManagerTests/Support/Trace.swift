/// What happened, in order.
final class Trace {
    private(set) var events: [String] = []

    func record(_ event: String) {
        events.append(event)
    }

    /// What happened since the last time.
    func take() -> [String] {
        defer { events = [] }
        return events
    }
}
