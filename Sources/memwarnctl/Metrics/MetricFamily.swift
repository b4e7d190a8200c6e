import MemwarnProtocol

/// One metric with all its series, in the text format that Prometheus reads (version 0.0.4).
struct MetricFamily {
    /// The type of the metric for Prometheus.
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    typealias Label = (name: String, value: String)

    private var lines: [String] = []
    private let name: String

    /// Creates a metric without series; `help` is a sentence.
    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        lines.append("# HELP \(name) \(Self.escaped(help))")
        lines.append("# TYPE \(name) \(kind.rawValue)")
    }

    /// Adds a series; `suffix` distinguishes the series of a histogram.
    mutating func add(_ value: MetricValue, _ labels: Label..., suffix: String = "") {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quote: true))\"" }.joined(separator: ",")
        lines.append("\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)")
    }

    /// The lines; empty without series.
    var text: String {
        lines.count > 2 ? lines.joined(separator: "\n") + "\n" : ""
    }

    /// A backslash and a line break are escaped everywhere, a quotation mark in the value of a label.
    ///
    /// Other characters that could control a terminal, on which the text may be displayed, become `\\u{1b}`, which a
    /// reader of metrics reads as `\u{1b}`.
    private static func escaped(_ text: String, quote: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quote: escaped += "\\\""
            default:
                let shown = String(scalar).escapedForDisplay
                escaped += shown.unicodeScalars.first == scalar ? shown : "\\" + shown
            }
        }
        return escaped
    }
}

/// A number in a base unit, written without rounding.
struct MetricValue: CustomStringConvertible {
    let description: String

    static func count(_ count: some BinaryInteger) -> Self { Self(description: "\(count)") }

    static func flag(_ flag: Bool) -> Self { .count(flag ? 1 : 0) }

    static func seconds(microseconds: UInt64) -> Self { Self(microseconds, decimals: 6) }

    static func seconds(milliseconds: UInt64) -> Self { Self(milliseconds, decimals: 3) }

    /// A share as a number from 0 to 1.
    static func ratio(basisPoints: UInt32) -> Self { Self(UInt64(basisPoints), decimals: 4) }

    private init(description: String) {
        self.description = description
    }

    /// Creates a value of a whole number of parts; the base unit has a power of ten of them.
    private init(_ parts: UInt64, decimals: Int) {
        let digits = String(parts)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let fraction = padded.suffix(decimals).reversed().drop { $0 == "0" }.reversed()
        description = "\(padded.dropLast(decimals))" + (fraction.isEmpty ? "" : "." + String(fraction))
    }
}
