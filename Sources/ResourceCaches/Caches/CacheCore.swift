internal import CLinux
internal import Synchronization

/// What a cache does that needs to know neither keys nor values: entries by number, their costs, limits and order.
///
/// The policy's lock guards it, see ``ResourceCache/withCore(_:)``. It lies in memory of its own, so that a change touches
/// no reference counts and checks no exclusive access.
///
/// **Locks.** A thread that has the policy's lock may take the lock of a bucket, and two of them to split or merge
/// buckets; a thread that has a bucket's lock takes no other. A holder of the policy's lock never sleeps for a bucket: it
/// spins for some microseconds, and then chooses another entry or lets go of the policy's lock before it waits. So a
/// reader that is switched out holds up only threads that need the same bucket.
@usableFromInline
struct CacheCore: ~Copyable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<CacheCore>

    @usableFromInline let view: CacheView.Pointer
    private(set) var table: BucketTable
    private(set) var store: EntryStore
    private(set) var queues = EvictionQueues()
    private var ghosts = GhostFilter()
    private(set) var pins = PinBoard()
    var limits: CacheLimits
    var figures = CacheFigures()
    /// The cost of all entries that are listed.
    private(set) var cost = 0
    /// What each entry costs; `nil` if they have differed since the cache was last empty.
    private var commonCost: EntryCost?
    /// The cost of loads that have not brought their values yet.
    var reserved = 0
    /// Calls under way that have all leave which a changed limit does not allow, so that other calls need not.
    @usableFromInline var limitChanges = 0
    /// Whether the handler of removals is to be told of what leaves.
    @usableFromInline var isHeard = false
    /// Whether loads are to be told of changes by hand.
    @usableFromInline var isLoading = false
    private var sweep = ExpirySweep()
    /// What is to be unmapped when the lock is free.
    @usableFromInline var leavingPages = LeavingPages()
    /// Walks over all entries under way, for which entries keep their numbers.
    var walks = 0

    init(layout: EntryLayout, limits: CacheLimits, clock: CacheClock) {
        view = .allocate(capacity: 1)
        view.initialize(to: CacheView(layout: layout, chunks: EntryStore.makeDirectory(), clock: clock))
        table = BucketTable(view)
        store = EntryStore(view)
        self.limits = limits
    }

    deinit {
        var (ghosts, leaving) = (ghosts, leavingPages)
        ghosts.forgetAll(&leaving)
        store.deallocate(&leaving)
        while !leaving.isEmpty { leaving.take().unmap() }
        table.deallocate()
        view.deinitialize(count: 1)
        view.deallocate()
    }

    private var now: UInt64 { view.pointee.clock.now() }
    /// The cost that the cache tends to at this moment; the largest number there is for no limit.
    private var aim: Int {
        @inline(__always) mutating get { limits.isRecovering ? recoveringAim() : limits.lowerLimit }
    }

    // Apart, so that callers have only a comparison in their way.
    @inline(never)
    private mutating func recoveringAim() -> Int {
        let now = now
        return limits.aim(at: now)
    }

    /// What the queues divide among them: the limit of the figure that they go by.
    private var queueLimit: Int {
        @inline(__always) mutating get { queues.countsEntries ? limits.count : aim }
    }

    var count: Int { table.count }
    /// What could leave under memory pressure: all but what is on screen or pinned.
    var releasable: (count: Int, cost: Int) {
        (table.count - queues.onScreen.count - pins.count, cost - queues.onScreen.cost - pins.cost)
    }
}

/// What a look for an entry that has to leave has found.
@frozen @usableFromInline
enum Leaver {
    /// None has to leave, or none may.
    case none
    /// This one, which no reader can find any more. `isLast` says that no other has to leave; otherwise one may.
    case entry(UInt32, isLast: Bool)
    /// One that has to stay, and was put back.
    case kept
    /// The buckets of all that were looked at are busy; of this hash is one of them.
    case busy(hash: UInt32)
}

/// How listing an entry has ended.
@frozen @usableFromInline
enum Listing {
    /// Its bucket is busy, and nothing has changed.
    case busy
    /// It is listed, and all limits hold.
    case fits
    /// It is listed, and one of the limits does not hold.
    case overfull
}

// Coming.
extension CacheCore {
    /// Whether an entry of this cost could be kept if everything left that may.
    ///
    /// - Parameters:
    ///   - cost: What it costs.
    ///   - old: The entry whose value it is to replace, or 0.
    ///   - priority: Its priority; `nil` for that of the other entry, or off screen if there is none.
    /// - Returns: Whether it could.
    @usableFromInline
    mutating func hasRoom(for cost: EntryCost, inPlaceOf old: UInt32, priority: CachePriority?) -> Bool {
        let bytes = cost.bytes
        // No sum of costs overflows, then.
        if (self.cost &+ reserved).addingReportingOverflow(bytes).overflow { return false }
        if old == 0, priority != .prefetched, bytes <= aim - pins.cost - reserved - queues.onScreen.cost { return true }
        return hasRoomWithoutOthers(for: bytes, inPlaceOf: old, priority: priority)
    }

    // Apart, so that what is usual takes few instructions.
    @inline(never)
    private mutating func hasRoomWithoutOthers(for bytes: Int, inPlaceOf old: UInt32, priority: CachePriority?) -> Bool
    {
        let former = old == 0 ? nil : view.pointee.header(of: old)
        let formerBytes = former?.pointee.cost.bytes ?? 0
        let isPinned = former?.pointee.marks.contains(.isPinned) == true
        let formerPriority = former?.pointee.queue.priority
        // Nothing is worse than before, then, even if a limit does not hold.
        if former != nil, isPinned || priority == nil || priority == formerPriority, bytes <= formerBytes {
            return true
        }
        // What leaves for others stays: pins, and for all but what is itself on screen that; for what is only prefetched,
        // all else.
        let room =
            if isPinned {
                limits.hardLimit - pins.cost + formerBytes
            } else {
                switch priority ?? formerPriority ?? .offScreen {
                case .onScreen: limits.hardLimit - pins.cost
                case .offScreen:
                    aim - pins.cost - queues.onScreen.cost + (former?.pointee.queue == .onScreen ? formerBytes : 0)
                case .prefetched:
                    aim - cost + queues.prefetched.cost + (former?.pointee.queue == .prefetched ? 0 : formerBytes)
                }
            }
        if bytes <= room - reserved { return true }
        return endExpiredPins() && hasRoomWithoutOthers(for: bytes, inPlaceOf: old, priority: priority)
    }

    /// Whether so many entries of this cost can be kept and none has to leave for them.
    mutating func hasSpareRoom(for cost: EntryCost, times number: Int = 1) -> Bool {
        let (bytes, isTooMuch) = cost.bytes.multipliedReportingOverflow(by: number)
        let total = self.cost.addingSaturated(reserved).addingSaturated(bytes)
        return !isTooMuch && total <= aim && total < .max && number <= limits.count - table.count
    }

    /// The queue in which a new entry begins, whose key has none; before others leave for it.
    ///
    /// - Returns: The queue; `nil` if the entry could not be kept even if everything left that may.
    @usableFromInline
    mutating func place(hash: UInt32, cost: EntryCost, priority: CachePriority) -> EntryQueue? {
        guard hasRoom(for: cost, inPlaceOf: 0, priority: priority) else { return nil }
        let isReturning = ghosts.remove(hash)
        if isReturning { figures.regrets += 1 }
        return switch priority {
        case .prefetched: .prefetched
        case .offScreen:
            queues.place(isReturning: isReturning, cost: cost.bytes, limit: queueLimit, in: view)
        case .onScreen: .onScreen
        }
    }

    /// The number and memory for an entry; its header is there, its key and value are not.
    @usableFromInline
    mutating func makeEntry(hash: UInt32, cost: EntryCost, times: CacheTimes?) -> UInt32 {
        let entry = store.allocate()
        view.pointee.header(of: entry).initialize(to: EntryHeader(hash: hash, cost: cost))
        view.pointee.uses(of: entry).reset(isTimed: times != nil)
        if let times { setTimes(times, of: entry) }
        return entry
    }

    private mutating func setTimes(_ times: CacheTimes, of entry: UInt32) {
        store.makeTimes(for: entry)
        view.pointee.times(of: entry).initialize(to: EntryTimes(times, now: now))
        view.pointee.header(of: entry).pointee.marks.insert(.isTimed)
        sweep.isNeeded = true
        view.pointee.setHasTimes()
    }

    /// Lets readers find a new entry, whose key and value are there.
    @usableFromInline
    mutating func list(_ entry: UInt32, in queue: EntryQueue) -> Listing {
        let header = view.pointee.header(of: entry)
        let hash = header.pointee.hash
        let view = view
        guard view.pointee.tryWithBucket(of: hash, { table.add(entry, hash: hash, to: $0) }) else { return .busy }
        header.pointee.marks.insert(.isListed)
        queues.insert(entry, into: queue, limit: queueLimit, in: view)
        let cost = header.pointee.cost
        if cost != commonCost { commonCost = table.count == 1 ? cost : nil }
        add(cost.bytes)
        table.adapt()
        if isOverfull(adding: 0, entries: 0) { return .overfull }
        prefetchNextLeaver()
        return .fits
    }

    /// Takes a number back whose key and value were moved out, and returns what its entry cost.
    @usableFromInline
    @discardableResult
    mutating func free(_ entry: UInt32) -> Int {
        let bytes = view.pointee.bytes(of: entry)
        store.free(entry, &leavingPages)
        return bytes
    }

    private mutating func add(_ bytes: Int) {
        cost += bytes
        figures.peakCost = max(figures.peakCost, cost)
    }

    /// Whether a value of a cost can take the place of an entry's, and nothing but the value changes; for caches in which no
    /// entry has times.
    @usableFromInline
    mutating func isAlike(_ entry: UInt32, _ cost: EntryCost) -> Bool {
        if isHeard || limitChanges > 0 { return false }
        // Where entries do not differ, the header of this one, which readers never fetch, is left alone.
        if cost == commonCost, queues.prefetched.count == 0 { return true }
        let header = view.pointee.header(of: entry)
        return header.pointee.cost == cost && header.pointee.queue != .prefetched
    }

    /// Notes that the value of such an entry was replaced.
    @usableFromInline
    mutating func noteAlike() {
        figures.count(.replaced, 0)
    }

    /// Notes that an entry's value was replaced, under the lock of its bucket.
    @usableFromInline
    mutating func noteReplacement(of entry: UInt32, cost: EntryCost, times: CacheTimes?) {
        let header = view.pointee.header(of: entry)
        let before = header.pointee.cost.bytes
        let change = cost.bytes - before
        figures.count(.replaced, before)
        if header.pointee.marks.contains(.isPinned) {
            pins.changeCost(by: change)
        } else {
            queues.changeCost(of: entry, by: change, in: view)
        }
        header.pointee.cost = cost
        if cost != commonCost { commonCost = nil }
        add(change)
        renew(entry, times)
        // As a use, but of what was fetched ahead, which stands back until it is read.
        if header.pointee.queue != .prefetched { view.pointee.uses(of: entry).count() }
    }

    /// Gives an entry other times, or none, under the lock of its bucket.
    mutating func renew(_ entry: UInt32, _ times: CacheTimes?) {
        if let times {
            setTimes(times, of: entry)
        } else {
            view.pointee.header(of: entry).pointee.marks.remove(.isTimed)
        }
        view.pointee.uses(of: entry).setTimed(times != nil)
    }

    /// Has the processor fetch what an insertion of a hash will touch.
    // Mutating, as the compiler would copy the whole core for a call that is not.
    @usableFromInline
    mutating func prefetch(_ hash: UInt32) {
        ghosts.prefetch(hash)
    }
}

// Leaving.
extension CacheCore {
    /// Makes an entry unreachable, which is in its queue or out of it already.
    ///
    /// - Returns: `false` if its bucket is busy; then it is listed as before.
    @usableFromInline
    mutating func unlist(_ entry: UInt32, because reason: RemovalReason) -> Bool {
        let header = view.pointee.header(of: entry)
        let hash = header.pointee.hash
        let view = view
        guard view.pointee.tryWithBucket(of: hash, { table.remove(entry, from: $0) }) else { return false }
        let bytes = header.pointee.cost.bytes
        if header.pointee.marks.contains(.isPinned) {
            pins.remove(entry, in: view)
        } else {
            queues.remove(entry, in: view)
        }
        cost -= bytes
        if reason == .pressure || reason == .evicted && header.pointee.marks.contains(.leavesTrace) {
            // The one that leaves is one of them.
            ghosts.insert(hash, entries: table.count + 1, &leavingPages)
        }
        header.pointee.marks = []
        figures.count(reason, bytes)
        table.adapt()
        return true
    }

    /// The next entry that has to leave for a limit.
    ///
    /// - Parameters:
    ///   - bytes: What the entries cost that are about to be added. Nothing on screen leaves for these yet: one of them may
    ///     have to go, then.
    ///   - entries: How many that are.
    /// - Returns: The entry, which is not listed any more, or why there is none.
    @usableFromInline
    mutating func unlistOverfull(adding bytes: Int, entries: Int) -> Leaver {
        guard isOverfull(adding: bytes, entries: entries) else { return .none }
        if limits.count < .max { queues.setCountsEntries(cost + reserved + bytes <= aim) }
        let limit = queueLimit
        let includesOnScreen =
            entries == 0 && (cost + reserved + bytes > limits.hardLimit || table.count > limits.count)
        let leaver = unlistNext(because: .evicted) { queues, view in
            queues.takeNext(limit: limit, includingOnScreen: includesOnScreen, in: view)
        }
        switch leaver {
        case .entry(let entry, _):
            return .entry(entry, isLast: !isOverfull(adding: bytes, entries: entries))
        case .none where endExpiredPins():
            return unlistOverfull(adding: bytes, entries: entries)
        case .none, .kept, .busy: return leaver
        }
    }

    /// Whether one of the limits does not hold, or would not with these entries.
    @usableFromInline @inline(__always)
    mutating func isOverfull(adding bytes: Int, entries: Int) -> Bool {
        cost + reserved + bytes > aim || table.count + entries > limits.count
    }

    /// The next entry that has to leave because more is there than the service allows, whatever a warning has left.
    mutating func unlistExcess() -> Leaver {
        let isExcess = cost + reserved > limits.lowerLimit || table.count > limits.count
        return isExcess ? unlistOverfull(adding: 0, entries: 0) : .none
    }

    /// The next entry that was fetched ahead and never read, if one has to leave for a limit.
    mutating func unlistOverfullPrefetched() -> Leaver {
        isOverfull(adding: 0, entries: 0) ? unlistPrefetched(because: .evicted) : .none
    }

    /// Takes an entry out of its queue, so that others leave and it stays; to be put back in the same hold of the lock.
    ///
    /// - Returns: Its queue; `nil` if it is pinned, and stands in none.
    mutating func setAside(_ entry: UInt32) -> EntryQueue? {
        let header = view.pointee.header(of: entry)
        if header.pointee.marks.contains(.isPinned) { return nil }
        // One that a challenge has displaced stands in none.
        let queue: EntryQueue = header.pointee.queue == .none ? .main : header.pointee.queue
        queues.remove(entry, in: view)
        return queue
    }

    /// Puts an entry back that was set aside, unless it has left because its time is up.
    mutating func putBack(_ entry: UInt32, into queue: EntryQueue) {
        if isListed(entry) { queues.insert(entry, into: queue, limit: queueLimit, in: view) }
    }

    /// The next entry that would be missed least, but none on screen.
    ///
    /// - Parameters:
    ///   - reason: Why it leaves.
    ///   - keeps: Whether an entry has to stay.
    /// - Returns: The entry, which is not listed any more, or why there is none.
    mutating func unlistForShortage(
        because reason: RemovalReason,
        unless keeps: (UInt32) -> Bool = { _ in false }
    ) -> Leaver {
        unlistNext(because: reason, unless: keeps) { queues, view in queues.takeForShortage(in: view) }
    }

    /// The next entry that was fetched ahead and never read.
    mutating func unlistPrefetched(because reason: RemovalReason) -> Leaver {
        unlistNext(because: reason) { queues, view in queues.takePrefetched(in: view) }
    }

    /// How many entries are tried whose buckets are busy.
    private static var mostTries: Int { 8 }

    private mutating func unlistNext(
        because reason: RemovalReason,
        unless keeps: (UInt32) -> Bool = { _ in false },
        _ take: (inout EvictionQueues, CacheView.Pointer) -> UInt32?
    ) -> Leaver {
        var busy: UInt32?
        for _ in 0..<Self.mostTries {
            guard let entry = take(&queues, view) else { break }
            let isKept = keeps(entry)
            if !isKept, unlist(entry, because: reason) { return .entry(entry, isLast: false) }
            // It is being read, and so belongs to the main queue.
            let header = view.pointee.header(of: entry)
            let queue: EntryQueue = header.pointee.marks.contains(.leavesScreen) ? .onScreen : .main
            header.pointee.marks.subtract([.leavesTrace, .leavesScreen])
            queues.insert(entry, into: queue, limit: .max, in: view)
            if isKept { return .kept }
            busy = header.pointee.hash
        }
        return busy.map { .busy(hash: $0) } ?? .none
    }

    /// The next entry that is out of date, of so many that the sweep looks at.
    mutating func unlistExpired(steps: inout Int) -> Leaver {
        guard sweep.isNeeded else { return .none }
        let now = now
        while let entry = sweep.nextExpired(steps: &steps, now: now, in: store, view) {
            // A busy one is found again at the next round.
            if unlist(entry, because: .expired) { return .entry(entry, isLast: false) }
        }
        return .none
    }

    @usableFromInline
    mutating func noteRefusal() {
        figures.refused += 1
    }

    func isGhost(_ hash: UInt32) -> Bool { ghosts.contains(hash) }

    mutating func noteLoweredLimit() {
        if table.count > 0 { queues.noteLoweredLimit() }
    }

    /// Notes that the limits are others.
    ///
    /// Where both are set, the first entry that has to leave says by which the queues go.
    mutating func noteLimits() {
        queues.setCountsEntries(limits.count < .max && (queues.countsEntries || limits.hard == nil))
    }

    /// Forgets what left.
    mutating func forgetGhosts() {
        ghosts.forgetAll(&leavingPages)
    }

    /// Gives back memory that so few entries do not need; not that of the entries themselves.
    mutating func giveBackSome() -> Attempt {
        var steps = 64
        while table.isTooLarge {
            if steps == 0 { return .more }
            steps -= 1
            // A bucket's number is a hash that leads there.
            if let number = table.adapt() { return .busy(hash: number) }
        }
        ghosts.shrink(entries: table.count, &leavingPages)
        return table.discardSome() || !leavingPages.isEmpty ? .more : .done
    }

    /// Has the processor fetch what it takes to have the likeliest next entry leave.
    private mutating func prefetchNextLeaver() {
        let next = queues.likelyNext
        guard next != 0 else { return }
        let hash = view.pointee.header(of: next).pointee.hash
        prefetch_for_writing(view.pointee.bucket(of: hash).line)
        ghosts.prefetch(hash)
    }
}

// Pins and priorities.
extension CacheCore {
    mutating func pin(_ entry: UInt32, owner: String, for duration: UInt64?) -> UInt64 {
        let header = view.pointee.header(of: entry)
        let priority = header.pointee.queue.priority
        if !header.pointee.marks.contains(.isPinned) { queues.remove(entry, in: view) }
        let ends = duration.map { duration in
            let sum = now.addingReportingOverflow(duration)
            return sum.overflow ? .max : sum.partialValue
        }
        return pins.add(.init(entry: entry, owner: owner, ends: ends ?? .max), priority: priority, in: view)
    }

    mutating func unpin(_ id: UInt64) {
        if let (entry, priority) = pins.end(id, in: view) { requeue(entry, priority) }
    }

    /// Puts the entries back in their queues whose pins' time is up; `false` if there are none.
    @discardableResult
    mutating func endExpiredPins() -> Bool {
        guard pins.hasEnds else { return false }
        let entries = pins.endExpired(at: now, in: view)
        for (entry, priority) in entries { requeue(entry, priority) }
        return !entries.isEmpty
    }

    @usableFromInline
    mutating func setPriority(_ priority: CachePriority, of entry: UInt32) {
        let header = view.pointee.header(of: entry)
        // What was read so far says nothing of a value that is fetched ahead now.
        if priority == .prefetched { _ = view.pointee.uses(of: entry).takeAll() }
        if header.pointee.marks.contains(.isPinned) { return pins.setPriority(priority, of: entry) }
        guard header.pointee.queue.priority != priority else { return }
        queues.remove(entry, in: view)
        requeue(entry, priority)
    }

    /// Has some of what is on screen leave like all others, the oldest first; `false` if no more is there.
    mutating func clearScreen() -> Bool {
        for _ in 0..<64 where queues.onScreen.oldest != 0 { setPriority(.offScreen, of: queues.onScreen.oldest) }
        return queues.onScreen.oldest != 0
    }

    private mutating func requeue(_ entry: UInt32, _ priority: CachePriority) {
        let queue: EntryQueue =
            switch priority {
            case .prefetched: .prefetched
            case .offScreen: .main
            case .onScreen: .onScreen
            }
        queues.insert(entry, into: queue, limit: queueLimit, in: view)
    }
}

// Moving entries together.
extension CacheCore {
    /// Gives an entry another number, under the lock of its bucket.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - movePair: Moves its key and value from the first number to the second.
    /// - Returns: `false` if its bucket is busy, and nothing has changed.
    mutating func move(_ entry: UInt32, _ movePair: (UInt32, UInt32) -> Void) -> Bool {
        let other = store.allocate()
        let from = view.pointee.header(of: entry)
        let view = view
        let isMoved = view.pointee.tryWithBucket(of: from.pointee.hash) { bucket in
            let to = view.pointee.header(of: other)
            to.initialize(to: from.pointee)
            let isTimed = from.pointee.marks.contains(.isTimed)
            view.pointee.uses(of: other).copy(view.pointee.uses(of: entry))
            if isTimed {
                store.makeTimes(for: other)
                view.pointee.times(of: other).initialize(to: EntryTimes(copying: view.pointee.times(of: entry)))
            }
            movePair(entry, other)
            table.replace(entry, by: other, in: bucket)
            if from.pointee.marks.contains(.isPinned) {
                pins.move(entry, to: other)
            } else {
                queues.move(entry, to: other, in: view)
            }
        }
        store.free(isMoved ? entry : other, &leavingPages)
        return isMoved
    }

    /// Closes a chunk that has few entries, see ``EntryStore/closeSparsest(_:)``; `nil` if there is none, or a walk is on.
    mutating func closeSparsest() -> Int? {
        walks == 0 ? store.closeSparsest(&leavingPages) : nil
    }

    /// Opens a chunk again that could not be emptied, or gives it back.
    mutating func reopen(_ number: Int) {
        store.reopen(number, &leavingPages)
    }

    /// The next entry of a closed chunk that is listed.
    mutating func nextToMove(in number: Int, from offset: inout Int) -> UInt32? {
        let view = view
        return store.liveEntry(in: number, from: &offset) {
            view.pointee.header(of: $0).pointee.marks.contains(.isListed)
        }
    }

    @usableFromInline
    mutating func bytes(of entry: UInt32) -> Int { view.pointee.bytes(of: entry) }

    func isListed(_ entry: UInt32) -> Bool {
        view.pointee.header(of: entry).pointee.marks.contains(.isListed)
    }
}
