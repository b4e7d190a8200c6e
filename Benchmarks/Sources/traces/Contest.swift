internal import BenchSupport

/// Plays one trace to every policy, each in a cache of the same size.
struct Contest {
    let trace: Trace
    let size: Int
    /// The hit ratio of each column of ``names``.
    let rates: [Double]

    /// The columns: policies that a program could use, then the library's own cache, then the optimum.
    static let names = [
        "NSCache", "FIFO", "LRU", "CLOCK", "SIEVE", "S3-FIFO", "S3-FIFO-1 warm", "ARC", "W-TinyLFU", "ours", "OPT",
    ]

    init(_ trace: Trace, size: Int) {
        self.trace = trace
        self.size = size
        let unique = trace.uniqueCount
        func rate(_ policy: some Policy) -> Double {
            var policy = policy
            var hits = 0
            for id in trace.requests where policy.access(id) { hits += 1 }
            return Double(hits) / Double(trace.requests.count)
        }
        rates = [
            rate(FoundationCache(size: size)),
            rate(FIFO(size: size, uniqueCount: unique)),
            rate(LRU(size: size, uniqueCount: unique)),
            rate(Clock(size: size, uniqueCount: unique)),
            rate(Sieve(size: size, uniqueCount: unique)),
            rate(S3FIFO(size: size, uniqueCount: unique, promotion: 2, startsWarm: false)),
            rate(S3FIFO(size: size, uniqueCount: unique, promotion: 1, startsWarm: true)),
            rate(ARC(size: size, uniqueCount: unique)),
            rate(TinyLFU(size: size, uniqueCount: unique)),
            rate(Ours(size: size)),
            rate(Optimum(size: size, trace: trace.requests, uniqueCount: unique)),
        ]
    }

    var optimum: Double { rates[Self.names.count - 1] }
    var ours: Double { rates[Self.names.count - 2] }
    /// The best ratio of the policies that do not know the future, without ours.
    var best: Double { rates.dropLast(2).max() ?? 0 }
    /// How far a column is behind ``best``, in percentage points; negative if it is ahead.
    func gap(of column: Int) -> Double { 100 * (best - rates[column]) }

    /// The row of the table.
    ///
    /// The best ratio of the policies that do not know the future is bold.
    var cells: [String] {
        let percents = rates.enumerated().map { column, rate in
            let text = (100 * rate).decimal(1)
            return column < Self.names.count - 1 && rate >= max(best, ours) ? "**\(text)**" : text
        }
        return [trace.name, "\(size)"] + percents + [gap(of: Self.names.count - 2).decimal(1)]
    }
}
