internal import MemoryPressure

/// An object other than the library's own caches that gives memory back at a memory warning: a buffer pool, a cache of
/// another library.
///
/// ```swift
/// final class BufferPool: Reclaimable {
///     private let free = Mutex<[[UInt8]]>([])
///
///     init() { registerForMemoryWarnings() }
///
///     func put(_ buffer: [UInt8]) { free.withLock { $0.append(buffer) } }
///     func take() -> [UInt8]? { free.withLock { $0.popLast() } }
///
///     var reclaimableBytes: Int { free.withLock { $0.reduce(0) { $0 + $1.count } } }
///
///     func reclaim(_ bytes: Int) -> Int {
///         free.withLock { free in
///             var given = 0
///             while given < bytes, let buffer = free.popLast() { given += buffer.count }
///             return given
///         }
///     }
/// }
/// ```
///
/// After ``registerForMemoryWarnings()`` it receives each warning that a `ControllerHost` in the process receives, in
/// the order of registration among the caches (rule 4.3), and gives its part like them: at a warning half of its bytes,
/// and at critical nine tenths. If a number of bytes is wanted, it gives its part of them, in proportion to its
/// releasable bytes; at critical its part or nine tenths of its bytes, whichever is more. If it is also a value of a
/// cache, it leaves the cache like any other object, and counts with its cost there.
///
/// The library calls it on any thread, with none of its own locks held; hosts that deliver on two threads at once may
/// call it on both. Use ``AsyncReclaimable`` for an actor.
public protocol Reclaimable: AnyObject, Sendable {
    /// How many bytes it could give back now, by its own count; a negative number means 0.
    ///
    /// It is read several times during a warning, and whenever a host reports its releasable bytes: return within about
    /// a microsecond.
    var reclaimableBytes: Int { get }

    /// The priority of its bytes; ``CachePriority/offScreen`` by default.
    ///
    /// It has the same meaning as for an entry of a ``ResourceCache``: ``CachePriority/prefetched`` bytes are wanted
    /// before all others, and ``CachePriority/onScreen`` bytes never. It may change at any time.
    var reclaimPriority: CachePriority { get }

    /// Gives back about `bytes` bytes, and does not grow beyond the rest before ``pressureDidEnd()``.
    ///
    /// Called at least once for each warning, even with 0 bytes, and again if others could not give their part. The
    /// warning waits for it.
    ///
    /// - Parameter bytes: The bytes wanted of it; not negative, and at most the last ``reclaimableBytes``.
    /// - Returns: The number of bytes that it gave. They are reported as released, so count freed bytes, and none
    ///   twice. Do not count an object that a cache holds or held as well: the cache counts it, as soon as its last
    ///   reference is dropped in the same warning. A negative number counts as 0, and the result is capped at the
    ///   value of ``reclaimableBytes`` before the call.
    func reclaim(_ bytes: Int) -> Int

    /// Called when pressure is over: the object may grow again. May be called several times; does nothing by default.
    func pressureDidEnd()
}

extension Reclaimable {
    /// The default priority: asked after spare bytes.
    public var reclaimPriority: CachePriority { .offScreen }
    /// Does nothing.
    public func pressureDidEnd() {}

    /// Registers the object for the process's memory warnings.
    ///
    /// The registration ends with the object, which it does not keep alive; only a call under way does. Call it once
    /// for each object, at the end of the initialiser: an object that is registered twice is asked twice. May be called
    /// from any thread; takes constant time.
    public func registerForMemoryWarnings() {
        Reclaimer.current.register { [weak self] _ in self.map(ReclaimableResponder.init) }
    }
}

/// A ``Reclaimable`` in one round.
private struct ReclaimableResponder: ReclaimResponder {
    let object: any Reclaimable

    var releasableCost: Int { object.reclaimPriority.offer(of: object.reclaimableBytes) }

    func reclaimSpare(_ kind: SpareKind, upTo bytes: Int, pacer: ReclaimPacer) {
        guard kind == .prefetched, object.reclaimPriority == .prefetched else { return }
        let offer = releasableCost
        if offer > 0 { reclaim(min(bytes, offer), of: offer, pacer) }
    }

    func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        let offer = releasableCost
        reclaim(demand.bytes(of: offer), of: offer, pacer)
    }

    private func reclaim(_ bytes: Int, of offer: Int, _ pacer: ReclaimPacer) {
        pacer.didDrop(max(0, min(object.reclaim(bytes), offer)))
    }

    func pressureDidEnd() {
        object.pressureDidEnd()
    }
}

extension CachePriority {
    /// The part of its declared bytes that a responder with this priority offers: none on screen.
    func offer(of declared: Int) -> Int {
        self == .onScreen ? 0 : max(0, declared)
    }
}
