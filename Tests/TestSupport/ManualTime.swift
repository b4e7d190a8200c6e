internal import Synchronization

/// Time in nanoseconds that passes when it is told to.
public final class ManualTime: Sendable {
    private let now = Atomic<UInt64>(1_000_000_000_000)

    /// A time that stands still.
    public init() {}

    /// Reads the time.
    public var read: @Sendable () -> UInt64 {
        { self.now.load(ordering: .sequentiallyConsistent) }
    }

    /// Lets so much time pass.
    public func advance(seconds: UInt64) {
        now.add(seconds * 1_000_000_000, ordering: .sequentiallyConsistent)
    }
}
