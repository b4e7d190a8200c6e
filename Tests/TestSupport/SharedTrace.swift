/// What happened on any thread, in order.
public final class SharedTrace: Sendable {
    private let events = Locked<[String]>([])

    /// Nothing happened yet.
    public init() {}

    /// Notes what happened.
    public func record(_ event: String) {
        events.withLock { $0.append(event) }
    }

    /// What happened since the last time.
    public func take() -> [String] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
