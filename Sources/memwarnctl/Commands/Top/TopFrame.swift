import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

/// The contents of the screen: the state, laid out for a size.
struct TopFrame {
    /// The lines from the top, at most as many and as long as the screen has room for.
    let lines: [StyledText]
    /// The index of the first visible host: those before it are scrolled away.
    let firstHost: Int

    /// This number of rounds is enough to see the trend of the pressure.
    static let rounds = 10

    /// Lays out for a terminal.
    init(_ state: TopState, size: TerminalSize, at now: MonotonicInstant) {
        let rounds = state.snapshot.rounds.suffix(Self.rounds)
        let wanted = [state.snapshot.scopes.count, state.snapshot.hosts.count, rounds.count].map { max(1, $0) }
        // Without the first and the last line.
        let rows = Self.rows(size.rows - 2, wanted: wanted)
        let first = max(0, min(state.firstHost, state.snapshot.hosts.count - rows[1]))
        let hosts = state.hosts.dropFirst(first).prefix(rows[1])
        let sections = [
            Self.scopes(state, rows[0], size.columns, at: now),
            Self.hosts(hosts, size.columns),
            Self.rounds(rounds.suffix(rows[2]), size.columns),
        ]
        var lines = [Self.heading(state, at: now).cut(to: size.columns)]
        for (section, rows) in zip(sections, rows) where rows > 0 { lines += [StyledText()] + section }
        lines += Array(repeating: StyledText(), count: max(0, size.rows - 1 - lines.count))
        lines.append(Self.keys(state, first, hosts.count).cut(to: size.columns))
        self.lines = Array(lines.prefix(size.rows))
        firstHost = first
    }

    /// Lays out everything, for a file or a pipe.
    init(_ state: TopState, columns: Int?, at now: MonotonicInstant) {
        let heading = Self.heading(state, at: now)
        let sections = [
            Self.scopes(state, .max, columns, at: now),
            Self.hosts(state.hosts[...], columns),
            Self.rounds(state.snapshot.rounds.suffix(Self.rounds), columns),
        ]
        lines = [columns.map { heading.cut(to: $0) } ?? heading] + sections.flatMap { [StyledText()] + $0 }
        firstHost = 0
    }

    /// The number of rows for each section, in addition to an empty line and a heading.
    ///
    /// The sections get one more row in turn until they have enough or no room is left. A section without room for one
    /// row is omitted.
    static func rows(_ height: Int, wanted: [Int]) -> [Int] {
        var rows = wanted.map { _ in 0 }
        var left = height
        for index in rows.indices where left >= 3 {
            rows[index] = 1
            left -= 3
        }
        while left > 0, rows.indices.contains(where: { rows[$0] > 0 && rows[$0] < wanted[$0] }) {
            for index in rows.indices where left > 0 && rows[index] > 0 && rows[index] < wanted[index] {
                rows[index] += 1
                left -= 1
            }
        }
        return rows
    }

    private static func heading(_ state: TopState, at now: MonotonicInstant) -> StyledText {
        if let trouble = state.trouble {
            let age = Age(milliseconds: state.taken.duration(to: now).milliseconds)
            return StyledText("\(trouble); this was \(age) ago", .critical)
        }
        let daemon = state.snapshot.daemon
        let name = "memwarnd \(daemon.version.escapedForDisplay), pid \(daemon.pid)"
        return StyledText(name, .strong)
            + StyledText(", up \(Age(milliseconds: daemon.uptime)), level ")
            + StyledText("\(daemon.level)", daemon.level.style)
            + StyledText(", \(counted(daemon.hosts, "host")), \(counted(daemon.rounds, "round"))")
            + (state.isPaused ? StyledText(", paused", .warning) : StyledText())
    }

    private static func keys(_ state: TopState, _ first: Int, _ shown: Int) -> StyledText {
        let all = state.snapshot.hosts.count
        let part = shown < all && shown > 0 ? "hosts \(first + 1) to \(first + shown) of \(all)   " : ""
        return StyledText(
            "\(part)q quit   s sort (by \(state.order))   ↑↓ scroll   p \(state.isPaused ? "go on" : "pause")",
            .faint
        )
    }
}

extension PressureLevel {
    /// The style of the level.
    var style: StyledText.Style {
        switch self {
        case .normal: .good
        case .warning: .warning
        case .critical: .critical
        }
    }
}
