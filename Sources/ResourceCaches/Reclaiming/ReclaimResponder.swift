/// An object that the ``Reclaimer`` asks for memory in a round: a cache, or an adapter of a ``Reclaimable`` or an
/// ``AsyncReclaimable``.
///
/// Its members are called on any thread, with no lock of the ``Reclaimer`` held. A class registers with
/// ``Reclaimer/register(_:)``, which does not keep it alive.
package protocol ReclaimResponder: Sendable {
    /// The bytes that it could give back now, by its own count.
    var releasableCost: Int { get }

    /// The bytes that a level takes from it, of the bytes that it could give back.
    func excess(at level: PressureLevel) -> Int

    /// Gives back the least valuable bytes, at most `bytes`.
    ///
    /// It precedes ``reclaim(_:pacer:)`` in the same round, for all responders before any of them is asked for more. By
    /// default there are no such bytes.
    ///
    /// - Parameters:
    ///   - kind: The values that may go; all responders are asked for the first kind before the next.
    ///   - bytes: The useful number of bytes; positive.
    ///   - pacer: Is told of each dropped batch.
    func reclaimSpare(_ kind: SpareKind, upTo bytes: Int, pacer: ReclaimPacer)

    /// Gives back the wanted bytes, and does not grow again before ``pressureDidEnd()``.
    ///
    /// Called for each event, even if it asks for 0 bytes, and a second time if others could not give their part.
    ///
    /// - Parameters:
    ///   - demand: The urgency and the bytes wanted.
    ///   - pacer: Is told of each dropped batch.
    func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer)

    /// Called at the end of an event in which memory was dropped that other references kept: some of these may have been
    /// dropped since, and records of them are no longer needed.
    ///
    /// Does nothing by default.
    func sharedObjectsDidEnd()

    /// Called when pressure is over: the responder may grow again, slowly.
    ///
    /// Called once for each host that reports it, so possibly after pressure has already ended; that has no effect.
    /// Does nothing by default.
    func pressureDidEnd()
}

extension ReclaimResponder {
    package func excess(at level: PressureLevel) -> Int {
        let cost = releasableCost
        return cost - level.kept(of: cost)
    }

    package func reclaimSpare(_ kind: SpareKind, upTo bytes: Int, pacer: ReclaimPacer) {}
    package func sharedObjectsDidEnd() {}
    package func pressureDidEnd() {}
}

/// The values that go before all others, the first kind first.
package enum SpareKind: CaseIterable {
    case expired
    /// Prefetched and never read.
    case prefetched
}
