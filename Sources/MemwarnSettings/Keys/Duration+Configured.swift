import MemoryPressure

extension Duration {
    /// Reads an integer with the unit `ms`, `s`, `min` or `h`, from 1 ms to a day.
    package init?(configured text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), (1...86_400_000).contains(number) else { return nil }
        let duration: Duration? =
            switch text.dropFirst(digits.count) {
            case "ms": .milliseconds(number)
            case "s": .seconds(number)
            case "min": .seconds(number * 60)
            case "h": .seconds(number * 3_600)
            default: nil
            }
        guard let duration, duration <= .seconds(86_400) else { return nil }
        self = duration
    }

    /// The duration in the form of the configuration, as an integer in the largest possible unit.
    package var configured: String {
        for (unit, size) in [("h", 3_600_000), ("min", 60_000), ("s", 1_000)] as [(String, UInt64)]
        where milliseconds % size == 0 && milliseconds > 0 {
            return "\(milliseconds / size)\(unit)"
        }
        return "\(milliseconds)ms"
    }

    /// `; did you mean "5min"?` for a duration in the form of another program, or nothing.
    ///
    /// A number without a unit is treated as seconds.
    static func hint(for value: ConfigurationValue) -> String {
        let text: String
        switch value {
        case .integer(let number): text = "\(number)"
        case .text(let written): text = written.lowercased().filter { $0 != " " && $0 != "\t" }
        default: return ""
        }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit: String? =
            switch text.dropFirst(digits.count) {
            case "ms", "msec", "msecs", "millis", "millisecond", "milliseconds": "ms"
            case "", "s", "sec", "secs", "second", "seconds": "s"
            case "m", "min", "mins", "minute", "minutes": "min"
            case "h", "hr", "hrs", "hour", "hours": "h"
            default: nil
            }
        let guess = digits + (unit ?? "")
        // A value that is already in this form is only out of range.
        guard unit != nil, value != .text(String(guess)), Duration(configured: String(guess)) != nil else { return "" }
        return "; did you mean \"\(guess)\"?"
    }
}
