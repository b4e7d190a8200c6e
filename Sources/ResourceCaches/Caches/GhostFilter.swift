internal import CLinux

/// A record of recently evicted entries, by the hash of their keys: four bytes each, without the keys.
///
/// Two keys with the same 32 bits are confused with each other. The policy's lock guards it.
///
/// There are two generations. A filter that has become too small or too large is not rebuilt, which would take tens of
/// milliseconds for millions of entries: a new one replaces it, and the former is searched as well until as many
/// entries have left as it has room for. Then its memory is given back.
struct GhostFilter {
    private var present = GhostGeneration.none
    private var former = GhostGeneration.none
    /// The number of entries that have to leave before the former generation is dropped.
    private var formerLife = 0

    /// Whether an entry with this hash left recently.
    func contains(_ hash: UInt32) -> Bool {
        present.contains(hash) || former.contains(hash)
    }

    /// Remembers an entry that leaves.
    ///
    /// - Parameters:
    ///   - hash: The hash of the entry's key.
    ///   - entries: The number of entries in the cache, this one included.
    ///   - leaving: Receives memory that is no longer needed.
    mutating func insert(_ hash: UInt32, entries: Int, _ leaving: inout LeavingPages) {
        // It grows when it is smaller than three quarters of the number of entries.
        if present.capacity * 4 < entries * 3 { replace(for: entries, &leaving) }
        present.insert(hash)
        if formerLife > 0 {
            formerLife -= 1
            if formerLife == 0 { retireFormer(&leaving) }
        }
    }

    /// Forgets an entry that has returned, and returns whether it was remembered.
    mutating func remove(_ hash: UInt32) -> Bool {
        present.remove(hash) || former.remove(hash)
    }

    /// Prefetches the memory that an insertion or removal will touch.
    func prefetch(_ hash: UInt32) {
        present.prefetch(hash)
    }

    /// Gives back memory if there is much more than this number of entries needs.
    mutating func shrink(entries: Int, _ leaving: inout LeavingPages) {
        // Entries that left because memory was short will be needed again, so the former generation stays searchable.
        if present.capacity > entries * 2, present.capacity > 4096 { replace(for: entries, &leaving) }
    }

    /// Forgets all entries, and gives all memory back.
    mutating func forgetAll(_ leaving: inout LeavingPages) {
        retireFormer(&leaving)
        former = present
        retireFormer(&leaving)
        present = .none
    }

    /// Without memory for a new generation, the present one stays: entries leave also because memory is short.
    private mutating func replace(for entries: Int, _ leaving: inout LeavingPages) {
        guard let new = GhostGeneration(capacity: entries * 3 / 2) else { return }
        retireFormer(&leaving)
        former = present
        formerLife = former.capacity
        present = new
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

    /// Maps its memory; `nil` if the kernel refuses it.
    ///
    /// - Parameter capacity: The number of entries to remember.
    init?(capacity: Int) {
        // Mappings consist of whole pages anyway.
        count = max(1, (capacity + Self.prints - 1) / Self.prints)
        guard let base = Pages.mapIfPossible(count * Self.prints * 4) else { return nil }
        memoryOfPrints = base.bindMemory(to: UInt32.self, capacity: count * Self.prints)
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
        // Without memory yet, a prefetch of address 0 would take the processor long.
        if let bucket = bucket(of: Self.print(of: hash)) { prefetch_for_writing(bucket) }
    }
}
