internal import CEpoch

/// Entries and memory that have left a cache, while a reader may still look at them.
///
/// They are collected, since asking all readers costs as much as many removals, and freed in batches. Belongs to who
/// holds the cache's lock.
@usableFromInline
struct EntryLimbo {
    /// What is freed together.
    @usableFromInline
    struct Batch {
        @usableFromInline var entries: [UInt32] = []
        /// Replaced tables and directories.
        @usableFromInline var blocks: [UnsafeMutableRawPointer] = []
        @usableFromInline var cost = 0

        @usableFromInline var isEmpty: Bool { entries.isEmpty && blocks.isEmpty }

        mutating func append(_ other: Batch) {
            entries += other.entries
            blocks += other.blocks
            cost += other.cost
        }
    }

    private var open = Batch()
    /// In order of their epochs.
    private var sealed: [(epoch: UInt64, batch: Batch)] = []
    private var sealedCost = 0

    /// Batches of 32 make the question to all readers cheap; 64 KiB bounds what stays allocated until then.
    private static let (dueCount, dueCost) = (32, 64 << 10)

    /// The cost of all entries that have left and are not freed.
    var cost: Int { open.cost + sealedCost }

    /// Whether there is enough to be worth freeing.
    @usableFromInline var isDue: Bool { open.entries.count >= Self.dueCount || open.cost >= Self.dueCost }

    mutating func add(_ entry: UInt32, cost: Int) {
        open.entries.append(entry)
        open.cost += cost
    }

    mutating func add(_ block: UnsafeMutableRawPointer) {
        open.blocks.append(block)
    }

    /// Takes out whatever no reader can look at any more.
    mutating func takePassed() -> Batch {
        if !open.isEmpty {
            sealed.append((epoch_advance(), open))
            sealedCost += open.cost
            open = Batch()
        }
        var passed = Batch()
        let count = sealed.prefix { epoch_has_passed($0.epoch) }.count
        for (_, batch) in sealed[..<count] {
            sealedCost -= batch.cost
            if passed.isEmpty { passed = batch } else { passed.append(batch) }
        }
        sealed.removeFirst(count)
        return passed
    }

    /// Everything; only when there can be no readers.
    mutating func takeAll() -> Batch {
        var all = open
        for (_, batch) in sealed { all.append(batch) }
        self = EntryLimbo()
        return all
    }
}
