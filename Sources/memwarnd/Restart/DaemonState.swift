import MemoryPressure
import WarningPolicy

/// The state of the daemon that the next daemon needs.
struct DaemonState: Equatable {
    /// The highest number that a host has been given.
    var lastHost: UInt64 = 0
    /// The scopes whose level is not normal, by path.
    var levels: [String: PressureLevel] = [:]

    /// The name under which the service manager keeps it.
    static let name = "state"
    /// Far more than the scopes of a host need.
    static let maximumSize = 4 << 20
    /// The largest number to restore, which leaves room for later numbers.
    static let numbers = 0...UInt64(Int64.max)

    private static let heading = "memwarnd state 2"
    /// The heading of earlier daemons, which wrote the number of the latest round below it.
    private static let earlierHeading = "memwarnd state 1"

    /// Lines of text: a heading, a number, and a line for each level.
    ///
    /// No cgroup has a line break in its name.
    var encoded: [UInt8] {
        let scopes = Array(levels).ordered { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let lines = [Self.heading, "\(lastHost)"] + scopes
        return Array(lines.joined(separator: "\n").utf8)
    }

    init(lastHost: UInt64 = 0, levels: [String: PressureLevel] = [:]) {
        self.lastHost = lastHost
        self.levels = levels
    }

    /// Reads what ``encoded`` of this or an earlier version wrote; `nil` for anything else.
    init?(decoding bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        switch lines.popFirst() {
        case Self.heading?: break
        case Self.earlierHeading?: lines = lines.dropFirst()
        default: return nil
        }
        guard let number = lines.popFirst(), let lastHost = UInt64(number), Self.numbers.contains(lastHost) else {
            return nil
        }
        self.init(lastHost: lastHost)
        for line in lines {
            guard let space = line.firstIndex(of: " "), let level = PressureLevel(String(line[..<space])) else {
                return nil
            }
            levels[String(line[line.index(after: space)...])] = level
        }
    }
}
