import MemoryPressure
import WarningPolicy

/// The state of the daemon that the next daemon needs.
struct DaemonState: Equatable {
    /// The number of the latest round.
    var lastRound: UInt64 = 0
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

    private static let heading = "memwarnd state 1"

    /// Lines of text: a heading, two numbers, and a line for each level.
    ///
    /// No cgroup has a line break in its name.
    var encoded: [UInt8] {
        let scopes = Array(levels).ordered { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let lines = [Self.heading, "\(lastRound)", "\(lastHost)"] + scopes
        return Array(lines.joined(separator: "\n").utf8)
    }

    init(lastRound: UInt64 = 0, lastHost: UInt64 = 0, levels: [String: PressureLevel] = [:]) {
        self.lastRound = lastRound
        self.lastHost = lastHost
        self.levels = levels
    }

    /// Reads what ``encoded`` wrote; `nil` for anything else.
    init?(decoding bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines[0] == Self.heading, let lastRound = UInt64(lines[1]),
            let lastHost = UInt64(lines[2]), Self.numbers.contains(lastRound), Self.numbers.contains(lastHost)
        else { return nil }
        self.init(lastRound: lastRound, lastHost: lastHost)
        for line in lines.dropFirst(3) {
            guard let space = line.firstIndex(of: " "), let level = PressureLevel(String(line[..<space])) else {
                return nil
            }
            levels[String(line[line.index(after: space)...])] = level
        }
    }
}
