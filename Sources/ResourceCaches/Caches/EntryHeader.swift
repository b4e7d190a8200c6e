/// The data of an entry in addition to its key, its value and its uses.
///
/// The policy's lock guards it.
@usableFromInline
struct EntryHeader {
    /// The hash of the key; does not change.
    @usableFromInline let hash: UInt32
    /// The neighbours in the entry's queue, 0 for none; ``older`` leaves before this entry.
    ///
    /// In a free entry ``newer`` is the next free one; in a pinned one they belong to the ``PinBoard``.
    var older: UInt32 = 0
    var newer: UInt32 = 0
    var cost: EntryCost
    var queue: EntryQueue = .none
    var marks: EntryMarks = []

    init(hash: UInt32, cost: EntryCost) {
        self.hash = hash
        self.cost = cost
    }
}

/// Properties of an entry.
struct EntryMarks: OptionSet {
    let rawValue: UInt8

    /// The bucket of its key lists it.
    static let isListed = Self(rawValue: 1 << 0)
    /// It left the small queue, so the cache remembers it in case it returns soon.
    static let leavesTrace = Self(rawValue: 1 << 1)
    /// It has times.
    static let isTimed = Self(rawValue: 1 << 2)
    /// It was taken out of the queue of entries on screen.
    static let leavesScreen = Self(rawValue: 1 << 4)
    /// At least one pin holds it, and it is in no queue.
    static let isPinned = Self(rawValue: 1 << 3)
}

/// The queue of an entry.
@usableFromInline
enum EntryQueue: UInt8, Sendable {
    /// None: free, pinned, displaced by a challenge, or about to be listed.
    case none
    case prefetched
    /// The younger half of the small queue, and the older one.
    case young
    case old
    case main
    case onScreen

    /// The priority that puts an entry in this queue.
    var priority: CachePriority {
        switch self {
        case .none, .young, .old, .main: .offScreen
        case .prefetched: .prefetched
        case .onScreen: .onScreen
        }
    }

    /// The queue of a listed entry that gets a priority.
    init(_ priority: CachePriority) {
        self =
            switch priority {
            case .prefetched: .prefetched
            case .offScreen: .main
            case .onScreen: .onScreen
            }
    }
}

/// A cost in four bytes: exact below 2 GiB, above that rounded up to whole pages of 4 KiB, and less than 8 TiB.
@usableFromInline
struct EntryCost: Hashable, Sendable {
    private let encoded: UInt32

    private static var pagesFlag: UInt32 { 1 << 31 }
    /// The largest cost; larger ones count as this.
    static var largest: Int { ((1 << 31) - 1) << 12 }

    /// - Parameter bytes: Not negative.
    @usableFromInline
    init(_ bytes: Int) {
        precondition(bytes >= 0, "the cost of a cache entry is a number of bytes, not negative")
        if bytes < Int(Self.pagesFlag) {
            encoded = UInt32(bytes)
        } else {
            encoded = UInt32((min(bytes, Self.largest) + 4095) >> 12) | Self.pagesFlag
        }
    }

    @usableFromInline var bytes: Int {
        encoded & Self.pagesFlag == 0 ? Int(encoded) : Int(encoded & ~Self.pagesFlag) << 12
    }
}
