internal import MemoryPressure

/// An object that gives memory back at a memory warning, beside the library's own caches: a buffer pool, a cache of
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
/// After ``registerForMemoryWarnings()`` it hears of each warning that a `ControllerHost` in the process hears, in
/// the order of registration among the caches (rule 4.3), and is asked for its part like them: at a warning for half
/// of its bytes, at a critical one for nine tenths, and where a number of bytes is wanted, for as much as its share of
/// all that could be given.
///
/// The library calls it on any thread, with none of its own locks held; hosts that deliver on two threads at once may
/// call it on both. For an actor take ``AsyncReclaimable``.
public protocol Reclaimable: AnyObject, Sendable {
    /// How many bytes it could give back now, by its own count; a negative number means 0.
    ///
    /// Read several times in a warning, and whenever a host says what it could release: answer in about a microsecond.
    var reclaimableBytes: Int { get }

    /// How much its bytes would be missed; ``CachePriority/offScreen`` by default.
    ///
    /// It means what it means for an entry of a ``ResourceCache``: bytes that were only ``CachePriority/prefetched``
    /// are asked for before any other, and those ``CachePriority/onScreen`` not at all. It may change at any time.
    var reclaimPriority: CachePriority { get }

    /// Gives back about so many bytes, and does not grow beyond the rest before ``pressureDidEnd()``.
    ///
    /// Called at least once for each warning, also with 0 bytes, and again if others could not give their part. The
    /// warning waits for it.
    ///
    /// - Parameter bytes: How many are wanted of it; not negative, and no more than ``reclaimableBytes`` said.
    /// - Returns: How many bytes it gave. They are reported as released, so count what is freed, and nothing twice; a
    ///   negative number counts as 0, and more than ``reclaimableBytes`` said before the call counts as that.
    func reclaim(_ bytes: Int) -> Int

    /// Pressure is over: it may grow again. May come several times; by default nothing happens.
    func pressureDidEnd()
}

extension Reclaimable {
    /// What is asked for after spare bytes.
    public var reclaimPriority: CachePriority { .offScreen }
    /// Does nothing.
    public func pressureDidEnd() {}

    /// Has the object take part in the process's memory warnings from now on.
    ///
    /// The registration ends with the object, which it does not keep alive; only a call that is under way does. To be
    /// called once for each object, at the end of its initialiser: what is registered twice is asked twice. From any
    /// thread; takes constant time.
    public func registerForMemoryWarnings() {
        Reclaimer.current.register { [weak self] _ in self.map(ReclaimableResponder.init) }
    }
}

/// A ``Reclaimable`` in one round.
private struct ReclaimableResponder: ReclaimResponder {
    let object: any Reclaimable

    var releasableCost: Int { object.reclaimPriority.offer(of: object.reclaimableBytes) }

    func reclaimSpare(upTo bytes: Int, pacer: ReclaimPacer) {
        guard object.reclaimPriority == .prefetched else { return }
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
    /// What a responder of this priority could give of the bytes that it declares: what is on screen stays.
    func offer(of declared: Int) -> Int {
        self == .onScreen ? 0 : max(0, declared)
    }
}
