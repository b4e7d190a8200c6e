internal import BenchSupport

/// Plays one trace to every policy while the limit falls to a half and a quarter, and rises again.
///
/// | of the requests | of the size |
/// | --- | --- |
/// | the first three tenths | all |
/// | two tenths | a half |
/// | two tenths | a quarter |
/// | the last three tenths | all |
struct Moving {
    let trace: Trace
    let size: Int
    /// The hit ratio of each column of ``names``.
    let rates: [Double]
    /// The same, for the last three tenths alone.
    let lastRates: [Double]

    static let names = ["FIFO", "LRU", "CLOCK", "SIEVE", "S3-FIFO", "S3-FIFO-1 warm", "ARC", "W-TinyLFU", "ours"]

    init(_ trace: Trace, size: Int) {
        self.trace = trace
        self.size = size
        let requests = trace.requests
        let steps = [(3, size / 2), (5, size / 4), (7, size)].map { tenths, limit in
            (first: requests.count * tenths / 10, limit: max(1, limit))
        }
        func rates(_ policy: some ResizablePolicy) -> (all: Double, last: Double) {
            var policy = policy
            var (hits, before) = (0, 0)
            for (index, id) in requests.enumerated() {
                for step in steps where step.first == index {
                    policy.resize(to: step.limit)
                    before = hits
                }
                if policy.access(id) { hits += 1 }
            }
            let last = requests.count - (steps.last?.first ?? 0)
            return (Double(hits) / Double(requests.count), Double(hits - before) / Double(max(1, last)))
        }
        let unique = trace.uniqueCount
        let all = [
            rates(FIFO(size: size, uniqueCount: unique)),
            rates(LRU(size: size, uniqueCount: unique)),
            rates(Clock(size: size, uniqueCount: unique)),
            rates(Sieve(size: size, uniqueCount: unique)),
            rates(S3FIFO(size: size, uniqueCount: unique, promotion: 2, startsWarm: false)),
            rates(S3FIFO(size: size, uniqueCount: unique, promotion: 1, startsWarm: true)),
            rates(ARC(size: size, uniqueCount: unique)),
            rates(TinyLFU(size: size, uniqueCount: unique)),
            rates(Ours(size: size)),
        ]
        self.rates = all.map(\.all)
        lastRates = all.map(\.last)
    }

    static let heads = ["trace", "size"] + names + ["gap", "gap at the end"]

    /// The row of the table; the best ratio is bold.
    var cells: [String] {
        let best = rates.max() ?? 0
        let percents = rates.map { rate in
            let text = (100 * rate).decimal(1)
            return rate >= best ? "**\(text)**" : text
        }
        return [trace.name, "\(size)"] + percents + [Self.gap(rates), Self.gap(lastRates)].map { $0.decimal(1) }
    }

    /// How far the cache is behind the best policy, in percentage points; negative if it is ahead.
    static func gap(_ rates: [Double]) -> Double {
        100 * ((rates.dropLast().max() ?? 0) - (rates.last ?? 0))
    }
}
