internal import CSystemd

extension Duration {
    /// libsystemd's unit: whole microseconds, at least 0 and at most about 146 000 years.
    ///
    /// Rounded up, so that a timer is never early.
    var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        // Half of the range stays free: sd-event adds the present time, and all ones stand for "never".
        let limit = UInt64.max / 4
        guard UInt64(seconds) < limit / 1_000_000 else { return limit }
        let attosecondsInMicrosecond: Int64 = 1_000_000_000_000
        let fraction = UInt64((attoseconds + attosecondsInMicrosecond - 1) / attosecondsInMicrosecond)
        return UInt64(seconds) * 1_000_000 + fraction
    }

    /// `CLOCK_MONOTONIC`, now.
    static var sinceBoot: Self { Self(wholeMicroseconds: memwarnd_monotonic_usec()) }

    /// This number of libsystemd's microseconds.
    init(wholeMicroseconds: UInt64) {
        self = .seconds(wholeMicroseconds / 1_000_000) + .microseconds(wholeMicroseconds % 1_000_000)
    }
}
