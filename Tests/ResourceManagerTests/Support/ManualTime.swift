import Synchronization

/// Time in nanoseconds that passes when it is told to.
final class ManualTime: Sendable {
    private let now = Atomic<UInt64>(1_000_000_000_000)

    var read: @Sendable () -> UInt64 {
        { self.now.load(ordering: .sequentiallyConsistent) }
    }

    func advance(seconds: UInt64) {
        now.add(seconds * 1_000_000_000, ordering: .sequentiallyConsistent)
    }
}
