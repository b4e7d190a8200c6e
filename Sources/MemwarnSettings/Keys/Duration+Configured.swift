import MemoryPressure

extension Duration {
    /// Reads an integer with the unit `ms`, `s`, `min` or `h`, from 1 ms to a day.
    package init?(configured text: String) {
        let digits = text.leadingDigits
        guard let number = Int64(digits), (1...86_400_000).contains(number) else { return nil }
        let duration: Duration? =
            switch text[digits.endIndex...] {
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
        case .text(let written): text = written.lowercasedWithoutBlanks
        default: return ""
        }
        let digits = text.leadingDigits
        let unit: String? =
            switch text[digits.endIndex...] {
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

extension String {
    fileprivate var leadingDigits: Substring {
        self[..<(utf8.firstIndex { $0 < UInt8(ascii: "0") || $0 > UInt8(ascii: "9") } ?? endIndex)]
    }

    /// Without spaces and tabs, and with A to Z in lower case: no unit has another letter, and Swift's `lowercased()`
    /// brings tables of 16 KB along in Embedded Swift.
    fileprivate var lowercasedWithoutBlanks: String {
        var text = ""
        for scalar in unicodeScalars where scalar != " " && scalar != "\t" {
            let isUpperCase = ("A"..."Z").contains(scalar)
            text.unicodeScalars.append(isUpperCase ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
        }
        return text
    }
}
