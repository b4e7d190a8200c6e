/// A trace of events from all threads, in order.
public final class SharedTrace: Sendable {
    private let events = Locked<[String]>([])

    /// Creates an empty trace.
    public init() {}

    /// Records an event.
    public func record(_ event: String) {
        events.withLock { $0.append(event) }
    }

    /// The events since the last call.
    public func take() -> [String] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
