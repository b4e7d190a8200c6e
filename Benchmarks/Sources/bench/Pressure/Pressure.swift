internal import BenchSupport

/// Measures the effects of a warning on 800 MB in a cache, and on the threads that use the cache meanwhile.
struct Pressure {
    let workbench: Workbench

    private static let runs = 3

    func run() throws {
        var rows: [[String]] = []
        for size in [4_000, 1_024, 16_384] {
            rows.append(try Self.row("\(size) bytes", (0..<Self.runs).map { _ in try warned(size) }))
        }
        if workbench.hasDaemon {
            rows.append(try Self.row("4000 bytes, by memwarnd", (0..<Self.runs).map { _ in try warnedByDaemon(4_000) }))
        }
        Table.print(
            "A warning to 800 MB in a cache",
            [
                "objects of", "dropped MB", "resident before", "after", "really returned",
                "longest wait for malloc before, ms", "meanwhile", "total time, ms",
            ],
            rows,
            note: workbench.hasDaemon ? nil : "The daemon's own warning was skipped, since memwarnd is not built."
        )
        try Reloads().run()
    }

    private func warned(_ size: Int) throws -> [UInt64] {
        try workbench.cacheHost(size).numbers()
    }

    private func warnedByDaemon(_ size: Int) throws -> [UInt64] {
        let daemon = try workbench.memwarnd("pressure", configuration: Workbench.neverPressed)
        let host = try workbench.cacheHost(size, socket: "pressure")
        defer { workbench.end([host, daemon], sockets: ["pressure"]) }
        guard try host.line() == "ready" else { throw Failure(sentence: "the host with the cache is not ready") }
        let simulation = try workbench.simulate("pressure")
        defer { simulation.end() }
        return try host.numbers()
    }

    /// The figures of the run whose longest wait is the median, since the waits differ most between runs.
    private static func row(_ name: String, _ runs: [[UInt64]]) throws -> [String] {
        let sorted = runs.filter { $0.count == 6 }.sorted { $0[4] < $1[4] }
        guard !sorted.isEmpty else { throw Failure(sentence: "the host with the cache said nothing") }
        let figures = sorted[sorted.count / 2].map { Double($0) }
        let returned = 100 * (figures[1] - figures[2]) / figures[0]
        let megabytes = figures[..<3].map { ($0 / 1e6).decimal(0) }
        let times = figures[3...].map { ($0 / 1e6).decimal(1) }
        return [name] + megabytes + ["\(returned.decimal(0)) %"] + times
    }
}
