import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// How a kind of value is read from a configuration file, and how it is written.
struct ConfigurationForm<Value> {
    let read: (ConfigurationValue) throws(ConfigurationMismatch) -> Value
    /// Returns `nil` for a value that only an unset key can have.
    let write: (Value) -> ConfigurationValue?

    /// The same for a property that is `nil` until its key is set.
    var optional: ConfigurationForm<Value?> {
        ConfigurationForm<Value?>(
            read: { (value) throws(ConfigurationMismatch) in try read(value) },
            write: { $0.flatMap(write) }
        )
    }
}

extension ConfigurationForm<Bool> {
    static var flag: Self {
        Self(
            read: { (value) throws(ConfigurationMismatch) in
                guard case .flag(let flag) = value else {
                    throw ConfigurationMismatch(expected: "true or false", found: value)
                }
                return flag
            },
            write: { .flag($0) }
        )
    }
}

extension ConfigurationForm<Int> {
    static func count(in range: ClosedRange<Int>) -> Self {
        Self(
            read: { (value) throws(ConfigurationMismatch) in
                guard case .integer(let number) = value, range.contains(number) else {
                    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
                    throw ConfigurationMismatch(expected: expected, found: value)
                }
                return number
            },
            write: { .integer($0) }
        )
    }
}

extension ConfigurationForm<Share> {
    /// A number from 0.01 to 100: a stall of this share is then at least a microsecond of the shortest window and at
    /// most the whole window, which is the range that the kernel accepts.
    static var percent: Self { percent(to: Self.all) }

    /// The same for a figure whose fall point, a quarter above it, has to be below 100 %.
    static var headroomPercent: Self { percent(to: Share(basisPoints: 7_999)) }

    private static var all: Share { .percent(100) }

    private static func percent(to most: Share) -> Self {
        let expected = "percent as a number from 0.01 to \(most.digits)"
        let reason = most < all ? ": its level falls again when a quarter more is left, which has to be possible" : ""
        return Self(
            read: { (value) throws(ConfigurationMismatch) in
                let number: Double? =
                    switch value {
                    case .integer(let number): Double(number)
                    case .number(let number, _): number
                    default: nil
                    }
                guard let number, number >= 0.01, number <= most.percent else {
                    let isPercent = number.map { $0 >= 0.01 && $0 <= 100 } ?? false
                    throw ConfigurationMismatch(expected: expected, found: value, hint: isPercent ? reason : "")
                }
                return .percent(number)
            },
            write: { share in
                share.basisPoints % 100 == 0
                    ? .integer(Int(share.basisPoints / 100)) : .number(share.percent, written: share.digits)
            }
        )
    }
}

extension ConfigurationForm<Duration> {
    /// An integer with a unit.
    static func duration(in range: ClosedRange<Duration>? = nil) -> Self {
        let expected =
            range.map { "a duration from \"\($0.lowerBound.configured)\" to \"\($0.upperBound.configured)\"" }
            ?? #"a duration from "1ms" to "24h", such as "10s" or "5min""#
        return Self(
            read: { (value) throws(ConfigurationMismatch) in
                guard case .text(let text) = value, let duration = Duration(configured: text),
                    range?.contains(duration) ?? true
                else {
                    throw ConfigurationMismatch(expected: expected, found: value, hint: Duration.hint(for: value))
                }
                return duration
            },
            write: { .text($0.configured) }
        )
    }
}

extension ConfigurationForm<String> {
    /// The path of a socket.
    static var socketPath: Self {
        Self(
            read: { (value) throws(ConfigurationMismatch) in
                guard case .text(let text) = value, text.hasPrefix("/"), (try? SocketAddress(path: text)) != nil else {
                    throw ConfigurationMismatch(expected: "an absolute path of at most 107 bytes", found: value)
                }
                return text
            },
            write: { .text($0) }
        )
    }
}

extension ConfigurationForm<Settings.PressureSocket> {
    static var pressureSocket: Self {
        Self(
            read: { (value) throws(ConfigurationMismatch) in
                if value == .text("off") { return .off }
                guard let path = try? ConfigurationForm<String>.socketPath.read(value) else {
                    let expected = "\"off\" or an absolute path of at most 107 bytes"
                    throw ConfigurationMismatch(expected: expected, found: value)
                }
                return .path(path)
            },
            write: { socket in
                switch socket {
                case .beside: nil
                case .path(let path): .text(path)
                case .off: .text("off")
                }
            }
        )
    }
}

extension ConfigurationForm<[String]> {
    static var cgroupPatterns: Self {
        Self(
            read: { (value) throws(ConfigurationMismatch) in
                let expected = #"an array of cgroups such as ["/system.slice/*.service"]"#
                guard case .list(let values) = value else {
                    throw ConfigurationMismatch(expected: expected, found: value)
                }
                var patterns: [String] = []
                var problems: [String] = []
                for value in values {
                    guard case .text(let text) = value else {
                        problems.append("expected \(expected), found \(value.found) in it")
                        continue
                    }
                    do throws(CgroupPattern.ParseError) {
                        patterns.append(try CgroupPattern(text).text)
                    } catch {
                        problems.append("the cgroup pattern \(value.found) \(error.problem)")
                    }
                }
                guard problems.isEmpty else {
                    // A hand-written file does not have more.
                    let more = problems.count > 10 ? ["and \(problems.count - 10) more"] : []
                    throw ConfigurationMismatch((problems.prefix(10) + more).joined(separator: "; "))
                }
                return patterns
            },
            write: { .list($0.map { .text($0) }) }
        )
    }
}
