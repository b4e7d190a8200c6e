public import Synchronization

/// How often an entry was read since its queue's hand last passed, up to ``most``, and whether it has times.
///
/// Readers count under the lock of the entry's bucket, the hand takes uses off under the policy's lock: both load and
/// store, so that a use may be lost or counted although it was taken off. No decision needs more. What is read by
/// many is not written by most of them, so its cache line stays with every processor.
@frozen @usableFromInline
struct EntryUses {
    @usableFromInline let byte: UnsafeMutablePointer<Atomic<UInt8>>

    @inlinable
    init(_ byte: UnsafeMutablePointer<Atomic<UInt8>>) {
        self.byte = byte
    }

    /// The hand only asks whether there were any; a store for each of the first three costs less than one for all.
    @inlinable static var most: UInt8 { 3 }
    /// The bit that says that the entry has times; changes under the lock of the entry's bucket only.
    @inlinable static var timed: UInt8 { 1 << 7 }

    func reset(isTimed: Bool) {
        byte.pointee.store(isTimed ? Self.timed : 0, ordering: .relaxed)
    }

    /// Counts a use if the entry has no times; `false` if it has.
    @inlinable @inline(__always)
    func countUnlessTimed() -> Bool {
        let count = byte.pointee.load(ordering: .relaxed)
        if count < Self.most { byte.pointee.store(count &+ 1, ordering: .relaxed) }
        return count < Self.timed
    }

    func copy(_ other: Self) {
        byte.pointee.store(other.byte.pointee.load(ordering: .relaxed), ordering: .relaxed)
    }

    @inlinable var isTimed: Bool { byte.pointee.load(ordering: .relaxed) >= Self.timed }

    @inlinable @inline(__always)
    func count() {
        let old = byte.pointee.load(ordering: .relaxed)
        if old & ~Self.timed < Self.most { byte.pointee.store(old &+ 1, ordering: .relaxed) }
    }

    /// Says whether the entry has times, and leaves its uses.
    func setTimed(_ isTimed: Bool) {
        let old = byte.pointee.load(ordering: .relaxed) & ~Self.timed
        byte.pointee.store(isTimed ? old | Self.timed : old, ordering: .relaxed)
    }

    var number: UInt8 { byte.pointee.load(ordering: .relaxed) & ~Self.timed }

    /// Takes all uses off, and returns how many there were.
    func takeAll() -> UInt8 {
        let old = byte.pointee.load(ordering: .relaxed)
        if old & ~Self.timed > 0 { byte.pointee.store(old & Self.timed, ordering: .relaxed) }
        return old & ~Self.timed
    }

    /// Takes one use off; `false` if there was none.
    func takeOne() -> Bool {
        let old = byte.pointee.load(ordering: .relaxed)
        guard old & ~Self.timed > 0 else { return false }
        byte.pointee.store(old - 1, ordering: .relaxed)
        return true
    }
}
