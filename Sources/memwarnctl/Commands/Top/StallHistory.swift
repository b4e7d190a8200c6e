import MemoryPressure
import MemwarnProtocol

/// The stalls of the last minute, from the received totals.
struct StallHistory {
    /// How far it goes back.
    static let span = Duration.seconds(60)

    private struct Sample {
        var at: MonotonicInstant
        var total: UInt64
    }

    /// By the scope's number, oldest first.
    private var samples: [UInt64: [Sample]] = [:]

    /// Adds the present totals, and forgets scopes that are gone.
    mutating func note(_ scopes: [ScopeRecord], at now: MonotonicInstant) {
        let old = samples
        samples = [:]
        for scope in scopes {
            var known = old[scope.id] ?? []
            // A total that decreased has been reset.
            if let last = known.last, last.total > scope.someTotal || last.at >= now { known = [] }
            known.append(Sample(at: now, total: scope.someTotal))
            // The last sample before the span is kept: the first cell begins after it.
            let start = now.advanced(by: .zero - Self.span)
            if let first = known.lastIndex(where: { $0.at <= start }) { known.removeFirst(first) }
            samples[scope.id] = known
        }
    }

    /// The share of stalled time in each of `count` parts of the last minute, oldest first; `nil` for parts without
    /// samples.
    ///
    /// The parts begin at multiples of their length, so that a drawn part moves but does not change.
    func shares(of scope: UInt64, count: Int, at now: MonotonicInstant) -> [Share?] {
        let length = UInt64(Self.span.nanoseconds) / UInt64(count)
        let current = now.nanoseconds / length
        guard let known = samples[scope], let first = known.first, let last = known.last else {
            return Array(repeating: nil, count: count)
        }
        return (0..<UInt64(count)).map { index in
            let (part, underflow) = (current + index + 1).subtractingReportingOverflow(UInt64(count))
            guard !underflow else { return nil }
            let start = max(part * length, first.at.nanoseconds)
            let end = min((part + 1) * length, last.at.nanoseconds)
            guard start < end else { return nil }
            let growth = Self.total(known, at: end) - Self.total(known, at: start)
            let nanoseconds = UInt64(max(0, growth * 1_000).rounded())
            return Share(nanoseconds, of: end - start)
        }
    }

    /// The total between two samples, as if it grew evenly.
    private static func total(_ known: [Sample], at nanoseconds: UInt64) -> Double {
        guard let after = known.firstIndex(where: { $0.at.nanoseconds >= nanoseconds }) else { return 0 }
        let next = known[after]
        guard after > 0, next.at.nanoseconds > nanoseconds else { return Double(next.total) }
        let before = known[after - 1]
        let part = Double(nanoseconds - before.at.nanoseconds) / Double(next.at.nanoseconds - before.at.nanoseconds)
        return Double(before.total) + part * Double(next.total - before.total)
    }
}
