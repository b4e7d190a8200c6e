import ArgumentParser
import MemoryPressure
import MemwarnSettings

/// Amounts in the form of the command line.
enum Quantities {
    /// Bytes: a whole number, alone or with a binary unit, such as `64M`, `64MiB` or `1GiB`.
    static func bytes(_ text: String) throws -> UInt64 {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let shift: UInt64? =
            switch text.dropFirst(digits.count).lowercased() {
            case "", "b": 0
            case "k", "kib": 10
            case "m", "mib": 20
            case "g", "gib": 30
            case "t", "tib": 40
            default: nil
            }
        guard let number = UInt64(digits), let shift, number <= UInt64.max >> shift else {
            throw ValidationError("“\(text)” is no number of bytes; say for example 4096, 64M or 1GiB.")
        }
        return number << shift
    }

    /// A time with its unit, such as `500ms` or `2s`.
    static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(configured: text) else {
            throw ValidationError("“\(text)” is no time; say for example 500ms, 2s or 1min.")
        }
        return duration
    }

    /// A time that may be 0.
    static func delay(_ text: String) throws -> Duration {
        ["0", "0s", "0ms"].contains(text) ? .zero : try duration(text)
    }

    /// A time for the wire, in milliseconds; a number without a unit is in milliseconds.
    static func milliseconds(_ text: String) throws -> UInt32 {
        if let number = UInt32(text) { return number }
        return UInt32(clamping: try duration(text).milliseconds)
    }
}
