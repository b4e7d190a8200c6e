internal import Synchronization

/// Time in nanoseconds that passes only on request.
public final class ManualTime: Sendable {
    private let now = Atomic<UInt64>(1_000_000_000_000)

    /// Creates a time that stands still.
    public init() {}

    /// Reads the time.
    public var read: @Sendable () -> UInt64 {
        { self.now.load(ordering: .sequentiallyConsistent) }
    }

    /// Lets this number of seconds pass.
    public func advance(seconds: UInt64) {
        now.add(seconds * 1_000_000_000, ordering: .sequentiallyConsistent)
    }
}
