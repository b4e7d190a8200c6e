internal import CLinux

/// Which entries left not long ago, by the hash of their keys: four bytes each, and nothing of the key.
///
/// Two keys with the same 32 bits are taken for one another. The policy's lock guards it.
///
/// There are two generations. A filter that has become too small or too large is not rebuilt, which would take tens of
/// milliseconds for millions of entries: a new one takes its place, and the former one is asked as well until as many
/// entries have left as it has room for. Then its memory goes back.
struct GhostFilter {
    private var present = GhostGeneration.none
    private var former = GhostGeneration.none
    /// How many more have to leave until the former one is of no use.
    private var formerLife = 0

    /// Whether an entry with this hash left not long ago.
    func contains(_ hash: UInt32) -> Bool {
        present.contains(hash) || former.contains(hash)
    }

    /// Remembers an entry that leaves.
    ///
    /// - Parameters:
    ///   - hash: The hash of the entry's key.
    ///   - entries: How many the cache has, this one included.
    ///   - leaving: Gets memory that is of no use any more.
    mutating func insert(_ hash: UInt32, entries: Int, _ leaving: inout LeavingPages) {
        // Grows when it has half of what it should have.
        if present.capacity * 4 < entries * 3 { replace(for: entries, &leaving) }
        present.insert(hash)
        if formerLife > 0 {
            formerLife -= 1
            if formerLife == 0 { retireFormer(&leaving) }
        }
    }

    /// Forgets an entry, which has come back, and returns whether it was remembered.
    mutating func remove(_ hash: UInt32) -> Bool {
        present.remove(hash) || former.remove(hash)
    }

    /// Has the processor fetch what an insertion or removal will touch.
    func prefetch(_ hash: UInt32) {
        present.prefetch(hash)
    }

    /// Gives memory back if there is much more than so many entries need.
    mutating func shrink(entries: Int, _ leaving: inout LeavingPages) {
        // What a shortage threw away will be missed, so the former one is asked on.
        if present.capacity > entries * 2, present.capacity > 4096 { replace(for: entries, &leaving) }
    }

    /// Forgets all, and gives all memory back.
    mutating func forgetAll(_ leaving: inout LeavingPages) {
        retireFormer(&leaving)
        former = present
        retireFormer(&leaving)
        present = .none
    }

    private mutating func replace(for entries: Int, _ leaving: inout LeavingPages) {
        retireFormer(&leaving)
        former = present
        formerLife = former.capacity
        present = GhostGeneration(capacity: entries * 3 / 2)
    }

    private mutating func retireFormer(_ leaving: inout LeavingPages) {
        if let (base, bytes) = former.memory { leaving.add(base, bytes) }
        former = .none
        formerLife = 0
    }
}

/// Fingerprints in buckets of eight, each in order of departure: in a full bucket the first one to leave is forgotten.
private struct GhostGeneration {
    /// Half a cache line.
    private static var prints: Int { 8 }

    private let memoryOfPrints: UnsafeMutablePointer<UInt32>?
    private let count: Int

    static var none: Self { Self() }

    private init() {
        (memoryOfPrints, count) = (nil, 0)
    }

    /// - Parameter capacity: How many it should remember.
    init(capacity: Int) {
        // A whole number of pages is mapped anyway.
        count = max(1, (capacity + Self.prints - 1) / Self.prints)
        memoryOfPrints = Pages.map(count * Self.prints * 4).bindMemory(to: UInt32.self, capacity: count * Self.prints)
    }

    var capacity: Int { count * Self.prints }

    var memory: (UnsafeMutableRawPointer, Int)? {
        memoryOfPrints.map { (UnsafeMutableRawPointer($0), capacity * 4) }
    }

    /// 0 stands for no ghost.
    private static func print(of hash: UInt32) -> UInt32 { hash == 0 ? 1 : hash }

    private func bucket(of print: UInt32) -> UnsafeMutablePointer<UInt32>? {
        memoryOfPrints.map { $0 + Int((UInt64(print &* 0x9E37_79B1) &* UInt64(count)) >> 32) * Self.prints }
    }

    func contains(_ hash: UInt32) -> Bool {
        let print = Self.print(of: hash)
        guard let bucket = bucket(of: print) else { return false }
        return print_matches(bucket, print) != 0
    }

    func insert(_ hash: UInt32) {
        let print = Self.print(of: hash)
        guard let bucket = bucket(of: print) else { return }
        print_insert(bucket, print)
    }

    func remove(_ hash: UInt32) -> Bool {
        let print = Self.print(of: hash)
        guard let bucket = bucket(of: print) else { return false }
        let matches = print_matches(bucket, print)
        guard matches != 0 else { return false }
        let last = Self.prints - 1
        var place = matches.trailingZeroBitCount
        while place < last {
            bucket[place] = bucket[place + 1]
            place += 1
        }
        bucket[last] = 0
        return true
    }

    func prefetch(_ hash: UInt32) {
        // Where there is no memory yet, a processor would look for that of address 0 at length.
        if let bucket = bucket(of: Self.print(of: hash)) { prefetch_for_writing(bucket) }
    }
}
