/// What happened, in order, for a test that waits for it.
final class EventStream: Sendable {
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func send(_ event: String) {
        continuation.yield(event)
    }

    /// The next event, waited for; one reader at a time.
    func next() async -> String? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next(isolation: nil)
    }
}
