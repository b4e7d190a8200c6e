internal import Synchronization

/// What a cache does that needs to know neither keys nor values: entries by number, their costs, limits and order.
///
/// Readers use the ``view``. Everything else belongs to who holds the lock.
///
/// It lies in memory of its own, so that a change touches no reference counts and needs no checks of exclusive access:
/// the lock sees to that.
@usableFromInline
struct CacheCore: ~Copyable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<CacheCore>

    let view: CacheView.Pointer
    var table: EntryTable
    var slab: EntrySlab
    private var clock: CacheClock { view.pointee.clock }

    var queues = EvictionQueues()
    var ghosts = GhostFilter()
    var pins = PinBoard()
    var limbo = EntryLimbo()
    var limits: CacheLimits
    var figures = CacheFigures()
    /// The cost of all entries that can be found.
    private(set) var cost = 0
    /// The cost of loads that have not brought their values yet.
    var reserved = 0
    /// Whether loads are to be told of changes by hand.
    @usableFromInline var isLoading = false
    var sweep = ExpirySweep()

    init(stride: Int, limits: CacheLimits, clock: CacheClock) {
        view = .allocate(capacity: 1)
        view.initialize(
            to: CacheView(
                table: EntryTable.makeBlock(),
                chunks: EntrySlab.makeDirectory(),
                layout: EntryLayout(stride: stride),
                clock: clock
            )
        )
        table = EntryTable(view)
        slab = EntrySlab(view)
        self.limits = limits
    }

    deinit {
        table.deallocate()
        slab.deallocate()
        view.deinitialize(count: 1)
        view.deallocate()
    }
}

// Adding and removing.
extension CacheCore {
    /// The number and memory for an entry; its header is there, its key and value are not.
    @usableFromInline
    mutating func makeEntry(cost: Int, times: CacheTimes?) -> UInt32 {
        let entry = slab.allocate(retiring: &limbo)
        view.pointee.header(of: entry).initialize(to: EntryHeader(cost: cost, isTimed: times != nil))
        if let times {
            view.pointee.times(of: entry).initialize(to: EntryTimes(times, now: clock.now()))
            sweep.isNeeded = true
        }
        return entry
    }

    /// The queue in which a new entry begins, whose key has none; before others leave for it.
    @usableFromInline
    mutating func place(hash: UInt32, cost: Int, priority: CachePriority) -> EntryQueue {
        let isReturning = ghosts.remove(hash)
        if isReturning { figures.regrets += 1 }
        return switch priority {
        case .prefetched: .prefetched
        case .offScreen: queues.place(isReturning: isReturning, cost: cost, limit: limits.aim(at: clock), in: view)
        case .onScreen: .onScreen
        }
    }

    /// Lets readers find a new entry, whose key had none.
    @usableFromInline
    mutating func publish(_ entry: UInt32, hash: UInt32, in queue: EntryQueue) {
        queues.insert(entry, into: queue, limit: limits.aim(at: clock), in: view)
        table.insert(entry, hash: hash, retiring: &limbo)
        grow(by: view.pointee.bytes(of: entry))
    }

    /// Lets readers find a new entry in place of the one that its key had.
    @usableFromInline
    mutating func publish(_ entry: UInt32, hash: UInt32, inPlaceOf old: UInt32) {
        queues.replace(old, by: entry, in: view)
        pins.replace(old, by: entry, in: view)
        table.replace(old, hash: hash, by: entry)
        cost -= view.pointee.bytes(of: old)
        grow(by: view.pointee.bytes(of: entry))
        retire(old, because: .replaced)
    }

    private mutating func grow(by bytes: Int) {
        cost += bytes
        figures.peakCost = max(figures.peakCost, cost)
    }

    /// Makes an entry unreachable, which is in its queue or out of it already.
    @usableFromInline
    mutating func remove(_ entry: UInt32, hash: UInt32, because reason: RemovalReason) {
        queues.remove(entry, in: view)
        pins.remove(entry, in: view)
        table.remove(entry, hash: hash)
        cost -= view.pointee.bytes(of: entry)
        if reason == .pressure || reason == .evicted && view.pointee.header(of: entry).pointee.leavesTrace {
            // The one that leaves is one of them.
            ghosts.insert(hash, entries: table.count + 1)
        }
        retire(entry, because: reason)
    }

    private mutating func retire(_ entry: UInt32, because reason: RemovalReason) {
        let bytes = view.pointee.bytes(of: entry)
        figures.count(reason, bytes)
        limbo.add(entry, cost: bytes)
    }

    /// Whether there is enough that has left to be worth freeing.
    @usableFromInline var isDrainDue: Bool { limbo.isDue }

    /// Takes out what has left and no reader can look at any more.
    @usableFromInline
    mutating func takePassed() -> EntryLimbo.Batch {
        limbo.takePassed()
    }

    /// Takes the numbers back whose keys and values are gone.
    @usableFromInline
    mutating func free(_ entries: [UInt32]) {
        for entry in entries { slab.free(entry) }
    }
}

// Who has to leave.
extension CacheCore {
    /// Whether an entry of this cost could be kept if everything left that may.
    @usableFromInline
    mutating func hasRoom(for bytes: Int, inPlaceOf old: UInt32, priority: CachePriority) -> Bool {
        // Else it would push all others out, and then leave itself.
        if priority < .onScreen, let aim = limits.aim(at: clock), bytes > aim { return false }
        guard let limit = limits.hard else { return true }
        let freed = old != 0 && pins.contains(old) ? view.pointee.bytes(of: old) : 0
        if bytes <= limit - pins.cost - reserved + freed { return true }
        return unpinExpired() && hasRoom(for: bytes, inPlaceOf: old, priority: priority)
    }

    /// The next entry that has to leave for a limit, out of its queue already; 0 if all is well.
    ///
    /// - Parameter bytes: What is about to be added. Nothing on screen leaves for that yet: it may be the new one, then,
    ///   that has to go.
    /// - Returns: The entry, which can still be found.
    @usableFromInline
    mutating func takeOverfull(adding bytes: Int) -> UInt32 {
        guard limits.areSet else { return 0 }
        let total = cost + reserved + bytes
        let soft = limits.soft(at: clock) ?? .max
        let hard = limits.hard ?? .max
        guard total > min(soft, hard) else { return 0 }
        let includesOnScreen = bytes == 0 && total > hard
        if let entry = queues.takeNext(limit: min(soft, hard), includingOnScreen: includesOnScreen, in: view) {
            return entry
        }
        return unpinExpired() ? takeOverfull(adding: bytes) : 0
    }

    /// Puts the entries back in their queues whose pins' time is up; `false` if there are none.
    private mutating func unpinExpired() -> Bool {
        let entries = pins.isEmpty ? [] : pins.removeExpired(at: clock.now(), in: view)
        for (entry, priority) in entries { requeue(entry, priority) }
        return !entries.isEmpty
    }

    /// Puts an entry into a queue that is in none, though it can be found.
    mutating func requeue(_ entry: UInt32, _ priority: CachePriority) {
        let queue: EntryQueue =
            switch priority {
            case .prefetched: .prefetched
            case .offScreen: .main
            case .onScreen: .onScreen
            }
        queues.insert(entry, into: queue, limit: limits.aim(at: clock), in: view)
    }
}

extension CacheCore {
    @usableFromInline var isSweepNeeded: Bool { sweep.isNeeded }

    @usableFromInline
    mutating func noteRefusal() {
        figures.refused += 1
    }
}

extension CacheCore {
    /// Makes all entries unreachable.
    mutating func removeAll(noting note: (UInt32) -> Void) {
        table.visit { entry in
            note(entry)
            view.pointee.header(of: entry).pointee.queue = .none
            retire(entry, because: .removed)
        }
        table.removeAll(retiring: &limbo)
        queues = EvictionQueues()
        pins.removeAll()
        ghosts.removeAll()
        cost = 0
    }
}

extension CacheCore {
    /// Gives back memory that so few entries do not need.
    mutating func compact() {
        table.shrink(retiring: &limbo)
        ghosts.shrink(entries: table.count)
    }
}
