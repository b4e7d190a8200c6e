internal import BenchSupport
internal import Glibc

/// Hit ratios: `traces FOLDER [NAME…]` plays the traces in a folder, or those with these names, to the library's cache
/// and to others.
///
/// `traces --moving FOLDER [NAME…]` does so while the caches' limit falls and rises again.
///
/// Prints tables in Markdown. `docs/BENCHMARKS.md` describes their contents and the sources of the traces.
@main
struct Traces {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let isMoving = arguments.first == "--moving"
        if isMoving { arguments = arguments.dropFirst() }
        guard let folder = arguments.first, !folder.isEmpty else {
            print("traces: skipped, since no folder with traces was named: traces [--moving] FOLDER [NAME]...")
            return
        }
        guard access(folder, R_OK | X_OK) == 0 else {
            print("traces: skipped, since there is no folder \(folder) that can be read")
            return
        }
        do {
            let names = arguments.count > 1 ? Array(arguments.dropFirst()) : try Trace.names(in: folder)
            guard !names.isEmpty else { return print("traces: skipped, since there is no trace in \(folder)") }
            let traces = try names.map { try Trace($0, in: folder) }
            if isMoving { playMoving(traces) } else { play(traces) }
        } catch {
            complain("traces: \(error)")
            exit(1)
        }
    }

    private static func play(_ traces: [Trace]) {
        let contests = traces.flatMap { trace in Sizes.of(trace).map { Contest(trace, size: $0) } }
        let services = contests.filter { Sizes.isOfService($0.trace) }
        Table.print("Hits, % of the requests", ["trace", "size"] + Contest.names + ["gap"], contests.map(\.cells))
        Table.print(
            "Means: % of OPT, and the largest gap in points",
            ["rows"] + Contest.names.dropLast(),
            [
                means("\(services.count) of services", services),
                means("all \(contests.count)", contests),
            ]
        )
        let weighted = traces.flatMap { trace in trace.sizes.map { Weighted.rows(trace, sizes: $0) } ?? [] }
        if !weighted.isEmpty { Table.print("Limited by bytes: hits, %", Weighted.heads, weighted) }
    }

    private static func playMoving(_ traces: [Trace]) {
        // Below eight entries a quarter would be too small for a cache.
        let plays = traces.flatMap { trace in
            Sizes.of(trace).filter { $0 >= 8 }.map { Moving(trace, size: $0) }
        }
        Table.print("Hits while the limit moves, % of the requests", Moving.heads, plays.map(\.cells))
        for (title, plays) in [("services", plays.filter { Sizes.isOfService($0.trace) }), ("all", plays)] {
            let gaps = (plays.map { Moving.gap($0.rates) }.max(), plays.map { Moving.gap($0.lastRates) }.max())
            print("Largest gap of \(plays.count), \(title): \((gaps.0 ?? .nan).decimal(1)), ", terminator: "")
            print("at the end \((gaps.1 ?? .nan).decimal(1))")
        }
    }

    private static func means(_ title: String, _ contests: [Contest]) -> [String] {
        // Traces without possible hits do not distinguish policies.
        let rows = contests.filter { $0.optimum > 0 }
        return [title]
            + Contest.names.indices.dropLast().map { column in
                let mean = rows.map { $0.rates[column] / $0.optimum }.reduce(0, +) / Double(rows.count)
                let gap = rows.map { $0.gap(of: column) }.max() ?? .nan
                return "\((100 * mean).decimal(1)) / \(gap.decimal(1))"
            }
    }
}
