/// An actor, or another object with asynchronous calls, that gives memory back at a memory warning.
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
/// It differs from ``Reclaimable`` in these points:
///
/// - **Its calls come one at a time**, in a task of the library, and one more can be due after the call under way. Of
///   several requests the one for most bytes is due. The end of pressure replaces a request that is due, also that of a
///   simulated warning, which ends at once; a request replaces an end that is due. While a request is under way or due,
///   the object counts as having no bytes to give: its part of the bytes wanted is 0 then, and a warning that wants no
///   number of bytes, or a critical one, requests the level's share. When the request's turn comes, it is for at most
///   the bytes that the object declares then.
/// - **A warning waits for 0.3 s** for all asynchronous objects together, at critical for 0.15 s. Bytes that they give
///   later are not in that warning's outcome; the warning asks others for them, including those that have answered, and
///   waits for that time again, or twice at critical if it wants a number of bytes. It does not wait for a request that
///   is due after another request.
/// - **`deliver` and `simulateMemoryWarning` of a host do not wait for it at all**, since they block the thread of an
///   actor that it may need: they ask for its part, which is not in their outcome. A warning that arrives while the
///   host runs waits without blocking the host's actor.
public protocol AsyncReclaimable: AnyObject, Sendable {
    /// How many bytes it could give back now, by its own count; a negative number means 0.
    ///
    /// It is read several times during a warning, and whenever a host reports its releasable bytes, on any thread. So
    /// an actor keeps the sum in an `Atomic`, where it can be read without waiting.
    var reclaimableBytes: Int { get }

    /// The priority of its bytes; ``CachePriority/offScreen`` by default. Like ``Reclaimable/reclaimPriority``.
    var reclaimPriority: CachePriority { get }

    /// Gives back about `bytes` bytes, and does not grow beyond the rest before ``pressureDidEnd()``.
    ///
    /// - Parameter bytes: The bytes wanted of it; not negative, and at most the last ``reclaimableBytes``. It is 0 if
    ///   the object only must not grow.
    /// - Returns: The number of bytes that it gave, like ``Reclaimable/reclaim(_:)``.
    func reclaim(_ bytes: Int) async -> Int

    /// Called when pressure is over: the object may grow again. May be called several times; does nothing by default.
    func pressureDidEnd() async
}

extension AsyncReclaimable {
    /// The default priority: asked after spare bytes.
    public nonisolated var reclaimPriority: CachePriority { .offScreen }
    /// Does nothing.
    public nonisolated func pressureDidEnd() {}

    /// Registers the object for the process's memory warnings.
    ///
    /// Like ``Reclaimable/registerForMemoryWarnings()``: the registration ends with the object, which it does not keep
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

    /// It is 0 while a call is under way that frees part of the declared bytes.
    var releasableCost: Int { calls.isReclaiming ? 0 : offer }

    func reclaimSpare(_ kind: SpareKind, upTo bytes: Int, pacer: ReclaimPacer) {
        guard kind == .prefetched, object.reclaimPriority == .prefetched else { return }
        let offer = offer
        if offer > 0 { reclaim(min(bytes, offer), of: offer) }
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
