/// Events in their order, for a test that waits for them.
public final class EventStream<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// A stream without events.
    public init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Adds an event.
    public func send(_ event: Event) {
        continuation.yield(event)
    }

    /// Waits for the next event; only one reader may do so at a time.
    public func next() async -> Event? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next(isolation: nil)
    }
}
