/// What the ``Reclaimer`` asks for memory in a round: a cache, or what stands for a ``Reclaimable`` or an
/// ``AsyncReclaimable`` there.
///
/// All of it is called on any thread, with no lock of the ``Reclaimer`` held. A class registers with
/// ``Reclaimer/register(_:)``, which does not keep it alive.
package protocol ReclaimResponder: Sendable {
    /// The bytes that could be given back now, by own count.
    var releasableCost: Int { get }

    /// Gives back what would not be missed, up to so many bytes: what has expired, then what was only fetched ahead.
    ///
    /// Comes before ``reclaim(_:pacer:)`` in the same round, to all responders before any of them is asked for more.
    /// By default there is nothing of that kind.
    ///
    /// - Parameters:
    ///   - bytes: How much is of use; above 0.
    ///   - pacer: Hears of each batch that was dropped.
    func reclaimSpare(upTo bytes: Int, pacer: ReclaimPacer)

    /// Gives back what the demand asks for, and does not grow again before ``pressureDidEnd()``.
    ///
    /// Called for each event, also if it asks for 0 bytes, and a second time if others could not give their part.
    ///
    /// - Parameters:
    ///   - demand: How urgent it is, and how much is asked for.
    ///   - pacer: Hears of each batch that was dropped.
    func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer)

    /// Pressure is over: may grow again, slowly.
    ///
    /// Called once for each host that says so, so also when it is over already; that changes nothing. By default
    /// nothing happens.
    func pressureDidEnd()
}

extension ReclaimResponder {
    package func reclaimSpare(upTo bytes: Int, pacer: ReclaimPacer) {}
    package func pressureDidEnd() {}
}
