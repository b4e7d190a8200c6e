public import MemoryPressure

extension ControllerHost {
    /// The broadcasts from now on, for a task in any isolation.
    ///
    /// ```swift
    /// for await warning in host.memoryWarnings { log(warning) }
    /// ```
    ///
    /// Each read of this property makes a separate sequence, for one reader. The host waits for no reader, and keeps
    /// the newest 16 warnings for a slow one. The sequence ends with the host.
    public var memoryWarnings: AsyncStream<MemoryWarning> {
        sequence(of: observers(of: MemoryWarning.self), keeping: 16)
    }

    /// The present level, then each new one; a slow reader gets only the newest.
    ///
    /// Otherwise like ``memoryWarnings``.
    public var levels: AsyncStream<PressureLevel> {
        sequence(of: levelHandlers, keeping: 1, from: level)
    }

    private func sequence<Value: Sendable>(
        of handlers: HandlerList<Value>,
        keeping count: Int,
        from first: Value? = nil
    ) -> AsyncStream<Value> {
        let (sequence, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(count))
        // The sequence keeps the reader, and the handler ends with the reader.
        let reader = SequenceReader()
        continuation.onTermination = { _ in withExtendedLifetime(reader) {} }
        // The host keeps the handler, and the sequence ends with the handler.
        let source = SequenceSource(continuation)
        handlers.add(of: reader) { source.continuation.yield($0) }
        if let first { continuation.yield(first) }
        return sequence
    }
}

private final class SequenceReader: Sendable {}

private final class SequenceSource<Value: Sendable> {
    let continuation: AsyncStream<Value>.Continuation

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }
}
