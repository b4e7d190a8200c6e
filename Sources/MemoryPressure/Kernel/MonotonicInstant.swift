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
        let nanoseconds = Int64(clamping: other.nanoseconds) - Int64(clamping: nanoseconds)
        return Duration(attoseconds: Int128(nanoseconds) * 1_000_000_000)
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds; at most 292 years.
    package var nanoseconds: Int64 {
        // Each answer of a host takes two of these: up to nine seconds without a division of 128 bits.
        if let attoseconds = Int64(exactly: attoseconds) { return attoseconds / 1_000_000_000 }
        return Int64(clamping: attoseconds / 1_000_000_000)
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
