package import ResourceCaches

/// A fake cache: bytes, some of them spare, and a trace of its requests, which several responders may share.
package final class FakeResponder: ReclaimResponder {
    private struct Holding {
        var bytes: Int
        var spare: Int
        /// The most bytes that it releases in one call, whatever the request.
        var stubbornness: Int
        /// The fewest bytes that it releases in one call, whatever the request.
        var generosity: Int

        mutating func give(_ wanted: Int) -> Int {
            let given = min(bytes, max(generosity, min(wanted, stubbornness)))
            bytes -= given
            spare = min(spare, bytes)
            return given
        }
    }

    private let name: String
    private let trace: SharedTrace
    private let holding: Locked<Holding>

    /// A responder that holds this number of bytes, and records its requests in the trace.
    package init(
        _ name: String = "",
        _ trace: SharedTrace = SharedTrace(),
        bytes: Int,
        spare: Int = 0,
        givesAtMost stubbornness: Int = .max,
        givesAtLeast generosity: Int = 0
    ) {
        self.name = name
        self.trace = trace
        holding = Locked(Holding(bytes: bytes, spare: spare, stubbornness: stubbornness, generosity: generosity))
    }

    package var releasableCost: Int { holding.withLock { $0.bytes } }

    package func reclaimSpare(_ kind: SpareKind, upTo bytes: Int, pacer: ReclaimPacer) {
        guard kind == .prefetched else { return }
        let given = holding.withLock { holding in
            let given = min(holding.spare, bytes)
            holding.spare -= given
            holding.bytes -= given
            return given
        }
        if given > 0 { trace.record("\(name).spare(\(bytes))=\(given)") }
        pacer.didDrop(given)
    }

    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        let given = holding.withLock { holding in
            let before = holding.bytes + demand.given
            return holding.give(demand.bytes ?? max(0, holding.bytes - demand.level.kept(of: before)))
        }
        trace.record("\(name).\(demand.level)(\(demand.bytes.map(String.init) ?? "rule"))=\(given)")
        pacer.didDrop(given)
    }

    package func pressureDidEnd() {
        trace.record("\(name).end")
    }
}
