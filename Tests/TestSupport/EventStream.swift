/// What happened, in order, for a test that waits for it.
public final class EventStream<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// An empty one.
    public init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Notes an event.
    public func send(_ event: Event) {
        continuation.yield(event)
    }

    /// The next event, waited for; one reader at a time.
    public func next() async -> Event? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next(isolation: nil)
    }
}
