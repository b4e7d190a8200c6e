import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

extension TopFrame {
    /// The number of parts in the graph of the last minute: 3 s each, with room for the rest in 120 columns.
    private static let graphLength = 20

    /// The scopes, the first ones if there is not room for all.
    static func scopes(_ state: TopState, _ limit: Int, _ columns: Int?, at now: MonotonicInstant) -> [StyledText] {
        let scopes = state.snapshot.scopes.prefix(limit)
        var table = Table([
            .left("SCOPE", isCut: true), .left("LEVEL"), .right("SINCE", rank: 4),
            .right("SOME"), .right("FULL", rank: 2),
            .left("LAST MINUTE", rank: 3),
            .left("USED", rank: 1), .left("OF", rank: 7, isCut: true),
            .right("HOSTS", rank: 6), .left("WATCHED BY", rank: 5, isCut: true),
        ])
        for scope in scopes {
            table.add([
                StyledText(scope.path.escapedForDisplay),
                StyledText("\(scope.level)", scope.level.style),
                StyledText("\(Age(milliseconds: scope.since))"),
                StyledText("\(scope.someAverage)"),
                StyledText("\(scope.fullAverage)"),
                StyledText(graph(of: scope, state, at: now), .graph),
                used(scope),
                StyledText(limitName(scope)),
                StyledText("\(scope.hosts)"),
                StyledText(scope.watch),
            ])
        }
        return table.lines(width: columns)
    }

    private static func graph(of scope: ScopeRecord, _ state: TopState, at now: MonotonicInstant) -> String {
        guard let history = state.history else { return "" }
        return "\(Sparkline(shares: history.shares(of: scope.id, count: graphLength, at: now)))"
    }

    private static func used(_ scope: ScopeRecord) -> StyledText {
        guard let limit = scope.limit else { return StyledText() }
        let figures = " \(ByteCount(scope.used)) / \(ByteCount(limit.bytes))"
        return StyledText("\(Bar(share: Share(scope.used, of: limit.bytes)))", .graph) + StyledText(figures)
    }

    /// The limit, and where it is set if that is not the scope itself.
    private static func limitName(_ scope: ScopeRecord) -> String {
        guard let limit = scope.limit else { return "" }
        return limit.path == scope.path ? "\(limit.kind)" : "\(limit)".escapedForDisplay
    }

    /// Some hosts.
    static func hosts(_ hosts: ArraySlice<HostRecord>, _ columns: Int?) -> [StyledText] {
        guard !hosts.isEmpty else { return [StyledText("no registered hosts")] }
        var table = Table([
            .left("HOST", isCut: true), .right("PID"), .left("LEVEL"),
            .right("RELEASABLE"), .left("LAST ANSWER", rank: 1), .right("RELEASED", rank: 2),
            .right("TOOK", rank: 3), .left("SCOPE", rank: 4, isCut: true),
        ])
        for host in hosts {
            let answered = host.outcome == .answered
            let isLate = host.outcome == .silent || host.outcome == .undeliverable
            table.add([
                StyledText(host.name.escapedForDisplay),
                StyledText("\(host.pid)"),
                StyledText("\(host.level)", host.level.style),
                StyledText("\(ByteCount(host.releasable))"),
                StyledText(host.outcomeName, isLate ? .warning : .plain),
                StyledText(answered ? "\(ByteCount(host.released))" : ""),
                StyledText(answered ? "\(Milliseconds(microseconds: host.duration))" : ""),
                StyledText(host.scope.escapedForDisplay),
            ])
        }
        return table.lines(width: columns)
    }

    /// Some rounds, the newest first.
    static func rounds(_ rounds: ArraySlice<RoundRecord>, _ columns: Int?) -> [StyledText] {
        guard !rounds.isEmpty else { return [StyledText("no rounds yet")] }
        var table = Table([
            .right("ROUND"), .right("AGO", rank: 2), .left("LEVEL"),
            .left("SCOPE", rank: 3, isCut: true), .left("WHY", rank: 7), .right("STAGE", rank: 8),
            .right("ANSWERED"), .right("SILENT", rank: 4), .right("UNACKNOWLEDGED", rank: 9),
            .right("RELEASED"), .right("KERNEL SAW", rank: 1), .left("STALLS", rank: 5),
            .right("TOOK", rank: 6),
        ])
        for round in rounds.reversed() {
            let wanted = round.options.contains(.answerWanted)
            let silent = round.unanswered
            let took = Milliseconds(microseconds: round.duration)
            table.add([
                StyledText("\(round.id)"),
                StyledText("\(Age(milliseconds: round.age))"),
                StyledText("\(round.level)", round.level.style),
                StyledText(round.scope.escapedForDisplay),
                StyledText(round.why),
                StyledText("\(round.stage)/\(round.stages)"),
                StyledText(wanted ? "\(round.answered)/\(round.hosts)" : ""),
                StyledText(wanted ? "\(silent)" : "", silent > 0 ? .warning : .plain),
                StyledText(round.unacknowledged > 0 ? "\(round.unacknowledged)" : ""),
                StyledText(wanted ? "\(ByteCount(round.released))" : ""),
                StyledText(wanted ? freed(round) : ""),
                StyledText(stalls(round)),
                round.state == .running ? StyledText("running", .warning) : StyledText("\(took)"),
            ])
        }
        return table.lines(width: columns)
    }

    /// The decrease of the scope by the kernel's figures; empty if they are unknown.
    private static func freed(_ round: RoundRecord) -> String {
        guard round.usedBefore > 0, round.usedAfter > 0 else { return "" }
        return round.usedBefore >= round.usedAfter
            ? "\(ByteCount(round.usedBefore - round.usedAfter))"
            : "−\(ByteCount(round.usedAfter - round.usedBefore))"
    }

    private static func stalls(_ round: RoundRecord) -> String {
        guard max(round.stallsBefore, round.stallsAfter) > .zero else { return "" }
        return round.state == .running ? "\(round.stallsBefore)" : "\(round.stallsBefore) → \(round.stallsAfter)"
    }
}
