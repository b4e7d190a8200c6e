public import Synchronization

/// The number of reads of an entry since its queue's hand last passed, up to ``most``, and whether it has times.
///
/// Readers count under the lock of the entry's bucket, and the hand subtracts uses under the policy's lock: both load
/// and store, so a use may be lost, or counted although it was subtracted. No decision needs more precision. Most
/// readers of a popular entry do not write the byte, so its cache line stays shared between processors.
@frozen @usableFromInline
struct EntryUses {
    @usableFromInline let byte: UnsafeMutablePointer<Atomic<UInt8>>

    @inlinable
    init(_ byte: UnsafeMutablePointer<Atomic<UInt8>>) {
        self.byte = byte
    }

    /// The hand only checks whether there were any; storing only the first three uses costs less than storing all.
    @inlinable static var most: UInt8 { 3 }
    /// The bit for an entry with times; changes only under the lock of the entry's bucket.
    @inlinable static var timed: UInt8 { 1 << 7 }

    func reset(isTimed: Bool) {
        byte.pointee.store(isTimed ? Self.timed : 0, ordering: .relaxed)
    }

    /// Counts a use if the entry has no times; returns `false` if it has.
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

    /// Sets whether the entry has times, and keeps its uses.
    func setTimed(_ isTimed: Bool) {
        let old = byte.pointee.load(ordering: .relaxed) & ~Self.timed
        byte.pointee.store(isTimed ? old | Self.timed : old, ordering: .relaxed)
    }

    var number: UInt8 { byte.pointee.load(ordering: .relaxed) & ~Self.timed }

    /// Clears the uses, and returns their number.
    func takeAll() -> UInt8 {
        let old = byte.pointee.load(ordering: .relaxed)
        if old & ~Self.timed > 0 { byte.pointee.store(old & Self.timed, ordering: .relaxed) }
        return old & ~Self.timed
    }

    /// Subtracts one use; returns `false` if there was none.
    func takeOne() -> Bool {
        let old = byte.pointee.load(ordering: .relaxed)
        guard old & ~Self.timed > 0 else { return false }
        byte.pointee.store(old - 1, ordering: .relaxed)
        return true
    }
}
