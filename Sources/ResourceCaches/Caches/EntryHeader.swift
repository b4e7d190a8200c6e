public import Synchronization

/// What a cache keeps of an entry besides its key and value: 16 bytes in front of them.
///
/// Readers look at ``isTimed`` and count ``uses``, everything else belongs to who holds the cache's lock.
@usableFromInline
struct EntryHeader: ~Copyable {
    /// The neighbours in the entry's queue, 0 for none; ``older`` leaves before this entry.
    var older: UInt32 = 0
    var newer: UInt32 = 0
    private var cost: EntryCost
    var queue: EntryQueue = .none
    /// Whether the entry left the small queue, so that it is to be known again if it comes back soon.
    var leavesTrace = false
    /// Whether the entry has times to look at before it is handed out; does not change once readers can find it.
    @usableFromInline let isTimed: Bool
    /// How often the entry was read since its queue's hand last passed, up to ``mostUses``.
    ///
    /// Counted with a load and a store, so that two readers at the same time may count one use: nobody can tell.
    @usableFromInline let uses: Atomic<UInt8>

    /// The hand only asks whether there were any; a store for each of the first three costs less than one for all.
    @inlinable static var mostUses: UInt8 { 3 }

    init(cost: Int, isTimed: Bool) {
        self.cost = EntryCost(cost)
        self.isTimed = isTimed
        uses = Atomic(0)
    }

    /// In whole, as it was given.
    var bytes: Int { cost.bytes }

    @inlinable
    func countUse() {
        let count = uses.load(ordering: .relaxed)
        // Without a write for most reads of what is read often, so that its line stays in every processor's cache.
        if count < Self.mostUses { uses.store(count + 1, ordering: .relaxed) }
    }

    /// Takes all uses off, and returns how many there were.
    func takeUses() -> UInt8 {
        let count = uses.load(ordering: .relaxed)
        if count > 0 { uses.store(0, ordering: .relaxed) }
        return count
    }

    /// Takes one use off; `false` if there was none.
    func takeUse() -> Bool {
        let count = uses.load(ordering: .relaxed)
        if count > 0 { uses.store(count - 1, ordering: .relaxed) }
        return count > 0
    }

    /// Counts the uses of the entry whose place this one takes, and the replacement itself.
    func inheritUses(of other: UnsafeMutablePointer<EntryHeader>) {
        uses.store(min(Self.mostUses, other.pointee.uses.load(ordering: .relaxed) + 1), ordering: .relaxed)
    }
}

/// The queue an entry stands in.
@usableFromInline
enum EntryQueue: UInt8, Sendable {
    /// None, and so in nobody's reach: pinned, or not linked yet.
    case none
    case prefetched
    /// The younger half of the small queue, and the older one.
    case young
    case old
    case main
    case onScreen
}

/// A cost in four bytes: exact below 2 GiB, above that rounded up to whole pages of 4 KiB, and less than 8 TiB.
@usableFromInline
struct EntryCost {
    private let encoded: UInt32

    private static var pagesFlag: UInt32 { 1 << 31 }
    /// The largest cost there is.
    @inlinable static var largest: Int { ((1 << 31) - 1) << 12 }

    init(_ bytes: Int) {
        if bytes < Int(Self.pagesFlag) {
            encoded = UInt32(bytes)
        } else {
            encoded = UInt32((bytes + 4095) >> 12) | Self.pagesFlag
        }
    }

    var bytes: Int {
        encoded & Self.pagesFlag == 0 ? Int(encoded) : Int(encoded & ~Self.pagesFlag) << 12
    }
}
