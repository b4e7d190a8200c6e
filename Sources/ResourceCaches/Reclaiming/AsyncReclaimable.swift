/// An actor, or another object that is asked asynchronously, that gives memory back at a memory warning.
///
/// ```swift
/// actor Thumbnails: AsyncReclaimable {
///     private var images: [String: [UInt8]] = [:]
///     private let held = Atomic(0)
///     nonisolated var reclaimableBytes: Int { held.load(ordering: .relaxed) }
///
///     init() { registerForMemoryWarnings() }
///
///     func insert(_ image: [UInt8], for name: String) {
///         let former = images.updateValue(image, forKey: name)
///         held.add(image.count - (former?.count ?? 0), ordering: .relaxed)
///     }
///
///     func reclaim(_ bytes: Int) -> Int {
///         var given = 0
///         while given < bytes, let (_, image) = images.popFirst() { given += image.count }
///         held.subtract(given, ordering: .relaxed)
///         return given
///     }
/// }
/// ```
///
/// It is ``Reclaimable`` in all but these:
///
/// - **Its calls come one at a time**, in a task of the library. What comes while a call is under way waits for its end,
///   the newest in place of any other; so an actor that was busy for long hears how things stand, and not how they came
///   about.
/// - **A warning waits for 1 second** for all asynchronous objects together. What they give later is not in that warning's
///   outcome, and is asked of others, those that have answered among them, for which the warning waits for another second; at
///   critical, if it wants a number of bytes, for two. An object whose call has not ended is not asked or waited for again
///   before it has.
/// - **`deliver` and `simulateMemoryWarning` of a host do not wait for it at all**, since they block the thread of an
///   actor that it may need: they ask for its part, which is not in their outcome. A warning that comes while the host
///   runs waits, without the host's actor.
public protocol AsyncReclaimable: AnyObject, Sendable {
    /// How many bytes it could give back now, by its own count; a negative number means 0.
    ///
    /// Read several times in a warning, and whenever a host says what it could release, on any thread. So an actor keeps
    /// the sum where it can be read without waiting, in an `Atomic`.
    var reclaimableBytes: Int { get }

    /// How much its bytes would be missed; ``CachePriority/offScreen`` by default. As ``Reclaimable/reclaimPriority``.
    var reclaimPriority: CachePriority { get }

    /// Gives back about so many bytes, and does not grow beyond the rest before ``pressureDidEnd()``.
    ///
    /// - Parameter bytes: How many are wanted of it; not negative, and no more than ``reclaimableBytes`` said.
    /// - Returns: How many bytes it gave, as ``Reclaimable/reclaim(_:)``.
    func reclaim(_ bytes: Int) async -> Int

    /// Pressure is over: it may grow again. May come several times; by default nothing happens.
    func pressureDidEnd() async
}

extension AsyncReclaimable {
    /// What is asked for after spare bytes.
    public nonisolated var reclaimPriority: CachePriority { .offScreen }
    /// Does nothing.
    public nonisolated func pressureDidEnd() {}

    /// Has the object take part in the process's memory warnings from now on.
    ///
    /// As ``Reclaimable/registerForMemoryWarnings()``: the registration ends with the object, which it does not keep
    /// alive.
    public nonisolated func registerForMemoryWarnings() {
        let calls = AsyncCalls()
        Reclaimer.current.register { [weak self] answers in
            self.map { AsyncResponder(object: $0, calls: calls, answers: answers) }
        }
    }
}

/// An ``AsyncReclaimable`` in one round, or in none.
private struct AsyncResponder: ReclaimResponder {
    let object: any AsyncReclaimable
    let calls: AsyncCalls
    let answers: AsyncAnswers?

    private var offer: Int { object.reclaimPriority.offer(of: object.reclaimableBytes) }

    /// Nothing while a call is under way, as it takes part of what is declared.
    var releasableCost: Int { calls.isUnderWay ? 0 : offer }

    func reclaimSpare(upTo bytes: Int, pacer: ReclaimPacer) {
        let offer = offer
        if object.reclaimPriority == .prefetched, offer > 0 { reclaim(min(bytes, offer), of: offer) }
    }

    func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        let offer = offer
        reclaim(demand.bytes(of: offer), of: offer)
    }

    private func reclaim(_ bytes: Int, of offer: Int) {
        calls.put(.reclaim(bytes, of: offer), to: object, in: answers)
    }

    func pressureDidEnd() {
        calls.put(.pressureDidEnd, to: object)
    }
}
