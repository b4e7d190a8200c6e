internal import CLinux
internal import Synchronization

/// The part of a cache that knows neither keys nor values: entries by number, their costs, limits and order.
///
/// The policy's lock guards it, see ``ResourceCache/withCore(_:)``. It has its own memory, so that a change touches no
/// reference counts and checks no exclusive access.
///
/// **Locks.** A thread that holds the policy's lock may take the lock of a bucket, and two of them to split or merge
/// buckets; a thread that holds a bucket's lock takes no other. A holder of the policy's lock never sleeps for a
/// bucket: it spins for some microseconds, and then chooses another entry or frees the policy's lock before it waits.
/// So a preempted reader delays only threads that need the same bucket.
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
    /// The cost of all listed entries.
    private(set) var cost = 0
    /// The cost of each entry; `nil` if costs have differed since the cache was last empty.
    private var commonCost: EntryCost?
    /// The reserved cost of loads that have not finished.
    var reserved = 0
    /// The part of it that was reserved before the last warning, and does not count for the limit that the warning left.
    var reservedBefore = 0
    /// The number of running calls that evict everything above a changed limit, so that other calls need not.
    @usableFromInline var limitChanges = 0
    /// Whether the removal handler is called for values that leave.
    @usableFromInline var notifiesRemovals = false
    /// Whether entries on screen leave for new ones: where only a memory warning puts entries there, to spare them.
    var screenYields = false
    /// Whether loads have to be notified of manual changes.
    @usableFromInline var isLoading = false
    private var sweep = ExpirySweep()
    /// Memory to unmap when the lock is free.
    @usableFromInline var leavingPages = LeavingPages()
    /// The number of running walks over all entries, during which entries keep their numbers.
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
    /// The cost that the cache aims at now; `Int.max` for no limit.
    private var aim: Int {
        @inline(__always) mutating get { limits.isRecovering ? recoveringAim() : limits.lowerLimit }
    }

    // Not inlined, so that callers contain only a comparison.
    @inline(never)
    private mutating func recoveringAim() -> Int {
        let now = now
        return limits.aim(at: now, exempting: reservedBefore)
    }

    /// The limit that the queues divide among them, in the unit that they use.
    private var queueLimit: Int {
        @inline(__always) mutating get { queues.countsEntries ? limits.count : aim }
    }

    var count: Int { table.count }
    /// The number and cost of values that could leave under memory pressure: all except those on screen or pinned.
    var releasable: (count: Int, cost: Int) {
        (table.count - queues.onScreen.count - pins.count, cost - queues.onScreen.cost - pins.cost)
    }
}

/// The result of the search for an entry that has to leave.
@frozen @usableFromInline
enum Leaver {
    /// No entry has to leave, or none may.
    case none
    /// This entry, which no reader can find any more. With `isLast` no other has to leave; otherwise another may have
    /// to.
    case entry(UInt32, isLast: Bool)
    /// An entry that has to stay, and was put back.
    case kept
    /// The buckets of all examined entries are busy; one of them has this hash.
    case busy(hash: UInt32)
    /// Expired pins were in the way, and some more of them have ended or were examined.
    case unpinned
}

/// The result of listing an entry.
@frozen @usableFromInline
enum Listing {
    /// Its bucket is busy, and nothing has changed.
    case busy
    /// It is listed, and all limits hold.
    case fits
    /// It is listed, and a limit is exceeded.
    case overfull
}

// Insertion.
extension CacheCore {
    /// Whether an entry of this cost could be kept if everything left that may leave; expired pins count until
    /// ``endExpiredPins()``.
    ///
    /// - Parameters:
    ///   - cost: Its cost.
    ///   - old: The entry whose value it replaces, or 0.
    ///   - priority: Its priority; `nil` for that of the other entry, or off screen if there is none.
    /// - Returns: Whether it could.
    @usableFromInline
    mutating func hasRoom(for cost: EntryCost, inPlaceOf old: UInt32, priority: CachePriority?) -> Bool {
        let bytes = cost.bytes
        // This check keeps all sums of costs from overflowing.
        if (self.cost &+ reserved).addingReportingOverflow(bytes).overflow { return false }
        if old == 0, priority != .prefetched, bytes <= aim - pins.cost - reserved - queues.onScreen.cost { return true }
        return hasRoomWithoutOthers(for: bytes, inPlaceOf: old, priority: priority)
    }

    // Not inlined, so that the common case takes few instructions.
    @inline(never)
    private mutating func hasRoomWithoutOthers(for bytes: Int, inPlaceOf old: UInt32, priority: CachePriority?) -> Bool
    {
        let former = old == 0 ? nil : view.pointee.header(of: old)
        let formerBytes = former?.pointee.cost.bytes ?? 0
        let isPinned = former?.pointee.marks.contains(.isPinned) == true
        let formerPriority = former?.pointee.queue.priority
        // Then nothing is worse than before, even if a limit is exceeded.
        if former != nil, isPinned || priority == nil || priority == formerPriority, bytes <= formerBytes {
            return true
        }
        // The cost of entries that do not leave for this one: pinned ones; those on screen, unless it is itself on
        // screen; and all others if it is only prefetched.
        let room =
            if isPinned {
                limits.hardLimit - pins.cost + formerBytes
            } else {
                switch priority ?? formerPriority ?? .offScreen {
                case .onScreen: limits.hardLimit - pins.cost
                case .offScreen where screenYields: aim - pins.cost
                case .offScreen:
                    aim - pins.cost - queues.onScreen.cost + (former?.pointee.queue == .onScreen ? formerBytes : 0)
                case .prefetched:
                    aim - cost + queues.prefetched.cost + (former?.pointee.queue == .prefetched ? 0 : formerBytes)
                }
            }
        return bytes <= room - reserved
    }

    /// Ends the reservation of a cost; those made before a warning count as ending first.
    mutating func endReservation(_ bytes: Int) {
        reserved -= bytes
        reservedBefore = max(0, reservedBefore - bytes)
    }

    /// Whether `number` entries of this cost fit without another leaving.
    mutating func hasSpareRoom(for cost: EntryCost, times number: Int = 1) -> Bool {
        let (bytes, isTooMuch) = cost.bytes.multipliedReportingOverflow(by: number)
        let total = self.cost.addingSaturated(reserved).addingSaturated(bytes)
        return !isTooMuch && total <= aim && total < .max && number <= limits.count - table.count
    }

    /// The queue in which a new entry begins, before others are evicted for it; its key must not have an entry.
    ///
    /// - Returns: The queue; `nil` if the entry could not be kept even if everything left that may leave.
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

    /// Returns the number and memory for an entry; its header is initialised, its key and value are not.
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

    /// Lets readers find a new entry, whose key and value are initialised.
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

    /// Frees a number whose key and value were moved out, and returns the cost of its entry.
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

    /// Whether a value of a cost can replace an entry's value without any other change; for caches in which no entry
    /// has times.
    @usableFromInline
    mutating func isAlike(_ entry: UInt32, _ cost: EntryCost) -> Bool {
        if notifiesRemovals || limitChanges > 0 { return false }
        // If all entries have the same cost, the header, which readers never fetch, is not touched.
        if cost == commonCost, queues.prefetched.count == 0 { return true }
        let header = view.pointee.header(of: entry)
        return header.pointee.cost == cost && header.pointee.queue != .prefetched
    }

    /// Records that a value was replaced by a value of the same cost.
    @usableFromInline
    mutating func noteAlike() {
        figures.count(.replaced, 0)
    }

    /// Records that an entry's value was replaced, under the lock of its bucket.
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
        // This counts as a use, except for a prefetched entry, which keeps its low rank until it is read.
        if header.pointee.queue != .prefetched { view.pointee.uses(of: entry).count() }
    }

    /// Changes or removes the times of an entry, under the lock of its bucket.
    mutating func renew(_ entry: UInt32, _ times: CacheTimes?) {
        if let times {
            setTimes(times, of: entry)
        } else {
            view.pointee.header(of: entry).pointee.marks.remove(.isTimed)
        }
        view.pointee.uses(of: entry).setTimed(times != nil)
    }

    /// Prefetches the memory that an insertion of a hash will touch.
    // Mutating, because the compiler would copy the whole core for a nonmutating call.
    @usableFromInline
    mutating func prefetch(_ hash: UInt32) {
        ghosts.prefetch(hash)
    }
}

// Removal.
extension CacheCore {
    /// Makes an entry unreachable; it may still be in its queue.
    ///
    /// - Returns: `false` if its bucket is busy; then it stays listed.
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
            // The leaving entry counts as well.
            ghosts.insert(hash, entries: table.count + 1, &leavingPages)
        }
        header.pointee.marks = []
        figures.count(reason, bytes)
        table.adapt()
        return true
    }

    /// The next entry that has to leave because of a limit.
    ///
    /// - Parameters:
    ///   - bytes: The cost of the entries that are about to be added. Nothing on screen is evicted for these yet: one of
    ///     them may have to leave later.
    ///   - entries: Their number.
    /// - Returns: The entry, which is no longer listed, or why there is none.
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
        case .none where endExpiredPins(): return .unpinned
        case .none, .kept, .busy, .unpinned: return leaver
        }
    }

    /// Whether a limit is exceeded, or would be with these entries.
    @usableFromInline @inline(__always)
    mutating func isOverfull(adding bytes: Int, entries: Int) -> Bool {
        cost + reserved + bytes > aim || table.count + entries > limits.count
    }

    /// The next entry that has to leave because of the service's own limits, regardless of a warning's limit.
    mutating func unlistExcess() -> Leaver {
        let isExcess = cost + reserved > limits.lowerLimit || table.count > limits.count
        return isExcess ? unlistOverfull(adding: 0, entries: 0) : .none
    }

    /// The next prefetched entry that was never read, if one has to leave because of a limit.
    mutating func unlistOverfullPrefetched() -> Leaver {
        isOverfull(adding: 0, entries: 0) ? unlistPrefetched(because: .evicted) : .none
    }

    /// Takes an entry out of its queue, so that others leave and it stays; put it back before the lock is freed.
    ///
    /// - Returns: Its queue; `nil` if it is pinned and in no queue.
    mutating func setAside(_ entry: UInt32) -> EntryQueue? {
        let header = view.pointee.header(of: entry)
        if header.pointee.marks.contains(.isPinned) { return nil }
        // An entry that a challenge has displaced is in no queue.
        let queue: EntryQueue = header.pointee.queue == .none ? .main : header.pointee.queue
        queues.remove(entry, in: view)
        return queue
    }

    /// Puts back an entry that was set aside, unless it has expired and left.
    mutating func putBack(_ entry: UInt32, into queue: EntryQueue) {
        if isListed(entry) { queues.insert(entry, into: queue, limit: queueLimit, in: view) }
    }

    /// The least valuable entry, but none on screen.
    ///
    /// - Parameters:
    ///   - reason: Why it leaves.
    ///   - keeps: Whether an entry has to stay.
    /// - Returns: The entry, which is no longer listed, or why there is none.
    mutating func unlistForShortage(
        because reason: RemovalReason,
        unless keeps: (UInt32) -> Bool = { _ in false }
    ) -> Leaver {
        unlistNext(because: reason, unless: keeps) { queues, view in queues.takeForShortage(in: view) }
    }

    /// The next prefetched entry that was never read; an entry that has to stay counts as read from then on.
    mutating func unlistPrefetched(
        because reason: RemovalReason,
        unless keeps: (UInt32) -> Bool = { _ in false }
    ) -> Leaver {
        unlistNext(because: reason, unless: keeps) { queues, view in queues.takePrefetched(in: view) }
    }

    /// The number of attempts at entries whose buckets are busy.
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
            // A reader is using it, so it belongs to the main queue.
            let header = view.pointee.header(of: entry)
            let queue: EntryQueue = header.pointee.marks.contains(.leavesScreen) ? .onScreen : .main
            header.pointee.marks.subtract([.leavesTrace, .leavesScreen])
            queues.insert(entry, into: queue, limit: .max, in: view)
            if isKept { return .kept }
            busy = header.pointee.hash
        }
        return busy.map { .busy(hash: $0) } ?? .none
    }

    /// The next expired entry among the `steps` entries that the sweep examines.
    mutating func unlistExpired(steps: inout Int) -> Leaver {
        guard sweep.isNeeded else { return .none }
        let now = now
        while let entry = sweep.nextExpired(steps: &steps, now: now, in: store, view) {
            // The next sweep finds a busy entry again.
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

    /// Records that the limits have changed.
    ///
    /// If both limits are set, the first entry that has to leave decides which one the queues use.
    mutating func noteLimits() {
        queues.setCountsEntries(limits.count < .max && (queues.countsEntries || limits.hard == nil))
    }

    /// Forgets the entries that left.
    mutating func forgetGhosts() {
        ghosts.forgetAll(&leavingPages)
    }

    /// Takes out the memory of pins, if there are none, to be freed when the lock is free.
    mutating func takeSparePins() -> [[PinBoard.Pin]]? { pins.takeSpare() }

    /// Gives back memory that the present number of entries does not need, except that of the entries themselves.
    mutating func giveBackSome() -> Attempt {
        var steps = 64
        while table.isTooLarge {
            if steps == 0 { return .more }
            steps -= 1
            // A bucket's number is also a hash that leads to it.
            if let number = table.adapt() { return .busy(hash: number) }
        }
        ghosts.shrink(entries: table.count, &leavingPages)
        store.releaseSpare(&leavingPages)
        return table.discardSome() || !leavingPages.isEmpty ? .more : .done
    }

    /// Prefetches the memory that the removal of the likeliest next entry will touch.
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
    mutating func pin(_ entry: UInt32, owner: String, for duration: UInt64?) -> PinBoard.Number {
        let header = view.pointee.header(of: entry)
        let queue = EntryQueue(header.pointee.queue.priority)
        if !header.pointee.marks.contains(.isPinned) { queues.remove(entry, in: view) }
        let ends = duration.map { duration in
            let sum = now.addingReportingOverflow(duration)
            return sum.overflow ? .max : sum.partialValue
        }
        return pins.add(entry, owner: owner, ends: ends ?? .max, returningTo: queue, in: view)
    }

    mutating func unpin(_ number: PinBoard.Number) {
        if let (entry, queue) = pins.end(number, in: view) { requeue(entry, queue) }
    }

    /// Ends some more of the expired pins, and returns their entries to their queues.
    ///
    /// - Returns: `false` if none has expired; otherwise another call may end more of them.
    mutating func endExpiredPins() -> Bool { pins.hasEnds && endExpiredPins(by: now) }

    /// Like ``endExpiredPins()``, for the pins that have expired by a time.
    mutating func endExpiredPins(by time: UInt64) -> Bool {
        guard pins.hasEnds, let entries = pins.endExpired(at: time, in: view) else { return false }
        for (entry, queue) in entries { requeue(entry, queue) }
        return true
    }

    /// The priority of an entry; of a pinned one, that after its pins.
    func priority(of entry: UInt32) -> CachePriority {
        let header = view.pointee.header(of: entry).pointee
        let queue = header.marks.contains(.isPinned) ? PinBoard.queue(after: header) : header.queue
        return queue.priority
    }

    @usableFromInline
    mutating func setPriority(_ priority: CachePriority, of entry: UInt32) {
        let header = view.pointee.header(of: entry)
        // Earlier reads do not count for a value that is prefetched now.
        if priority == .prefetched { _ = view.pointee.uses(of: entry).takeAll() }
        if header.pointee.marks.contains(.isPinned) {
            return pins.setQueue(EntryQueue(priority), of: entry, in: view)
        }
        guard header.pointee.queue.priority != priority else { return }
        queues.remove(entry, in: view)
        requeue(entry, EntryQueue(priority))
    }

    /// Moves some entries from the screen queue to the others, the oldest first; `false` if there are no more.
    mutating func clearScreen() -> Bool {
        for _ in 0..<64 where queues.onScreen.oldest != 0 { setPriority(.offScreen, of: queues.onScreen.oldest) }
        return queues.onScreen.oldest != 0
    }

    private mutating func requeue(_ entry: UInt32, _ queue: EntryQueue) {
        queues.insert(entry, into: queue, limit: queueLimit, in: view)
    }
}

// Moving entries together.
extension CacheCore {
    /// Gives an entry another number, under the lock of its bucket.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - movePair: Moves the key and value from the first number to the second.
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
                pins.move(to: other, in: view)
            } else {
                queues.move(entry, to: other, in: view)
            }
        }
        store.free(isMoved ? entry : other, &leavingPages)
        return isMoved
    }

    /// Closes a chunk with few entries, see ``EntryStore/closeSparsest(_:)``; `nil` if there is none, or during a walk.
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
