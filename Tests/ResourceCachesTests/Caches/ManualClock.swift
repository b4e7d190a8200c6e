import Synchronization

/// A clock that a test moves.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        func duration(to other: Self) -> Duration { other.offset - offset }
        static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private let milliseconds = Atomic<Int64>(0)

    var now: Instant { Instant(offset: .milliseconds(milliseconds.load(ordering: .sequentiallyConsistent))) }
    var minimumResolution: Duration { .milliseconds(1) }

    func advance(milliseconds: Int) {
        self.milliseconds.add(Int64(milliseconds), ordering: .sequentiallyConsistent)
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        preconditionFailure("nobody sleeps by a clock that stands still")
    }
}
