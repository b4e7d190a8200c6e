internal import CLinux

/// A point in time of `CLOCK_MONOTONIC`, which never jumps and stops while the machine is suspended.
package struct MonotonicInstant: InstantProtocol, Sendable {
    /// Nanoseconds since an arbitrary start.
    package var nanoseconds: UInt64

    /// Creates the instant `nanoseconds` after the clock's start.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Now; costs one vDSO call.
    package static var now: Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    package func advanced(by duration: Duration) -> Self {
        let sum = Int64(clamping: nanoseconds).addingReportingOverflow(duration.nanoseconds)
        return Self(nanoseconds: sum.overflow ? UInt64(Int64.max) : UInt64(max(0, sum.partialValue)))
    }

    package func duration(to other: Self) -> Duration {
        .nanoseconds(Int64(clamping: other.nanoseconds) - Int64(clamping: nanoseconds))
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds; at most 292 years.
    package var nanoseconds: Int64 {
        // `components` traps at 2^63 seconds and more.
        if self >= .nanoseconds(Int64.max) { return .max }
        if self <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in microseconds; zero if it is negative.
    package var microseconds: UInt64 { UInt64(max(0, nanoseconds) / 1_000) }

    /// The duration in milliseconds; zero if it is negative.
    package var milliseconds: UInt64 { UInt64(max(0, nanoseconds) / 1_000_000) }
}

extension MonotonicInstant? {
    /// The earlier of two values, or the only one that is not `nil`.
    package static func earlier(_ left: Self, _ right: Self) -> Self {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }
}
