public import Synchronization

/// The offsets of an entry's parts in its chunk.
///
/// A chunk holds 4096 entries in parallel arrays: per entry a byte of uses, two reserved bytes, a header of 20 bytes,
/// and the pair of key and value. A hit touches the uses and the pair; in the array of uses the bytes of 64 entries
/// share a cache line, and a hit does not touch the headers.
@frozen @usableFromInline
struct EntryLayout: Sendable {
    @usableFromInline let pairStride: Int
    /// An entry's chunk is its number shifted right by this.
    @usableFromInline let shift: UInt32
    /// The bits of an entry's number that are its index in the chunk.
    @usableFromInline let mask: UInt32
    @usableFromInline let headersOffset: Int
    /// A multiple of 64, so that no pair crosses more cache lines than necessary.
    @usableFromInline let pairsOffset: Int

    /// Fewer than 4096 entries if their pairs would take more than 1 MiB, but at least 16.
    @inlinable
    init(pairStride: Int) {
        self.pairStride = pairStride
        let bits = Int.bitWidth - (pairStride - 1).leadingZeroBitCount
        shift = UInt32(max(4, min(12, 20 - bits)))
        let entries = 1 &<< Int(shift)
        mask = UInt32(entries) &- 1
        // 1 byte of uses and 2 reserved bytes.
        headersOffset = 3 &* entries
        pairsOffset = (3 &* entries &+ entries &* MemoryLayout<EntryHeader>.stride &+ 63) & ~63
    }

    @inlinable @inline(__always)
    func uses(of entry: UInt32, in base: UnsafeMutableRawPointer) -> EntryUses {
        EntryUses((base + Int(entry & mask)).assumingMemoryBound(to: Atomic<UInt8>.self))
    }

    @inlinable @inline(__always)
    func pair(of entry: UInt32, in base: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        base + (pairsOffset &+ Int(entry & mask) &* pairStride)
    }

    var entriesPerChunk: Int { Int(mask) + 1 }

    /// A multiple of pages of 4 KiB.
    var chunkBytes: Int { (pairsOffset + entriesPerChunk * pairStride + 4095) & ~4095 }
}
