/// A number of bytes, formatted for people.
package struct ByteCount: CustomStringConvertible {
    package let bytes: UInt64

    package init(_ bytes: UInt64) {
        self.bytes = bytes
    }

    /// `512 B`, `1.5 MiB`: at most three figures and a binary unit.
    package var description: String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        var value = Double(bytes) / 1024
        var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1024
            units.removeFirst()
        }
        let unit = units[units.startIndex]
        let tenths = Int((value * 10).rounded())
        return tenths < 100 && tenths % 10 != 0
            ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\((tenths + 5) / 10) \(unit)"
    }
}

/// A duration, formatted for people.
package struct Milliseconds: CustomStringConvertible {
    package let microseconds: UInt64

    package init(microseconds: UInt64) {
        self.microseconds = microseconds
    }

    package init(milliseconds: UInt64) {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000)
        self.microseconds = overflow ? .max : microseconds
    }

    /// Creates a duration from the seconds in JSON; clamps the number, since a host can claim any.
    package init(seconds: Double) {
        microseconds = UInt64(exactly: (max(0, seconds) * 1e6).rounded()) ?? .max
    }

    /// `0.21 ms`, `1.9 s`.
    package var description: String {
        if microseconds < 10_000 {
            let hundredths = microseconds % 1000 / 10
            return "\(microseconds / 1000).\(hundredths < 10 ? "0" : "")\(hundredths) ms"
        }
        if microseconds < 1_000_000 { return "\(microseconds / 1000) ms" }
        if microseconds < 100_000_000 { return "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10) s" }
        return "\(microseconds / 1_000_000) s"
    }
}
