/// The order in which entries leave a cache.
///
/// After S3-FIFO (Yang et al., SOSP 2023): a new entry begins in a small queue, and moves to the main queue only if it
/// is read there; most entries that are used once leave without displacing others. At the end of the main queue the
/// hand clears the uses of an entry that was read and sends it round again. A hit moves nothing. Three mechanisms, all
/// driven by evictions, adapt it to workloads that S3-FIFO handles badly:
///
/// - **The small queue's share.** An entry whose first read comes in the old half enlarges the queue by the size of
///   that entry: it would soon have left unread. An entry that leaves unread makes the queue smaller.
/// - **A challenge.** An entry that returns after it left the small queue replaces the next victim of the main queue,
///   if that has not been read; otherwise it begins in the small queue like any other. So a part of a loop that does
///   not fit stays in the cache.
/// - **A boost.** If ``Constants/streak`` challenges are won in a row, the main queue holds entries that are no longer
///   read; each further win moves the room of an entry to the small queue, until a challenge is lost. This helps
///   workloads that scan back and forth.
///
/// All sizes are costs, or numbers of entries if the limit that causes evictions counts entries.
///
/// Until the first eviction new entries go to the main queue once the small one has its share; without any limit all of
/// them do. Prefetched entries that were never read leave before all others, entries on screen after them.
///
/// The policy's lock guards it. It knows entries only by their numbers.
struct EvictionQueues {
    enum Constants {
        /// The share of the limit with which the small queue begins, and its minimum.
        static let firstShare = 1.0 / 50
        static let leastShare = 1.0 / 100
        /// The maximum that late reads can make of it, and that boosts can.
        static let largestShare = 1.0 / 2
        static let boostedShare = 0.95
        /// An entry that leaves the small queue unread lowers the share by this part of it, times the entry's cost over
        /// the limit.
        static let rent = 0.2
        static let streak = 8
        /// The maximum number of entries that the hand passes for one eviction.
        static let looks = 32
        /// The maximum number of entries that change their queue at one insertion or eviction.
        static let moves = 32
        /// The maximum number of leaving entries that refill the main queue at one eviction, when it has become too
        /// small.
        static let fills = 8
    }

    private(set) var prefetched = EntryList(.prefetched)
    private(set) var young = EntryList(.young)
    private(set) var old = EntryList(.old)
    private(set) var main = EntryList(.main)
    private(set) var onScreen = EntryList(.onScreen)

    private(set) var share = Constants.firstShare
    private(set) var boost = 0.0
    private var streak = 0
    private var hasEvicted = false
    /// The entry that lost a challenge, and leaves next.
    private var displaced: UInt32 = 0

    /// Whether limits and queue sizes are numbers of entries instead of costs.
    private(set) var countsEntries = false

    private var smallSize: Int { size(young) + size(old) }

    @inline(__always)
    private func size(_ list: EntryList) -> Int { countsEntries ? list.count : list.cost }

    @inline(__always)
    private func size(of entry: UInt32, in view: CacheView.Pointer) -> Int {
        countsEntries ? 1 : view.pointee.bytes(of: entry)
    }

    /// Sets the unit of the limit from now on.
    mutating func setCountsEntries(_ countsEntries: Bool) {
        guard countsEntries != self.countsEntries else { return }
        self.countsEntries = countsEntries
        (streak, boost) = (0, 0)
        targetLimit = 0
    }

    /// The target size of the small queue under the limit ``targetLimit``.
    private var knownTarget = 0
    private var targetLimit = 0
    private var rentPerByte = 0.0

    /// The target size of the small queue.
    @inline(__always)
    private mutating func target(_ limit: Int) -> Int {
        if limit != targetLimit { noteShare(limit) }
        return knownTarget
    }

    private mutating func noteShare(_ limit: Int) {
        if limit != targetLimit {
            targetLimit = limit
            rentPerByte = Constants.rent / Double(max(1, limit))
        }
        let limit = Double(limit)
        // It is less than the limit, so it fits.
        knownTarget = max(1, Int(min(share * limit + boost, max(share, Constants.boostedShare) * limit)))
    }

    // MARK: Insertion

    /// The first queue of a new entry without a special priority.
    ///
    /// - Parameters:
    ///   - isReturning: Whether an entry of its key left the small queue recently.
    ///   - cost: Its cost.
    ///   - limit: The limit of the cache; `Int.max` for none.
    ///   - view: The memory of the entries.
    /// - Returns: The queue, young or main.
    mutating func place(isReturning: Bool, cost: Int, limit: Int, in view: CacheView.Pointer) -> EntryQueue {
        guard limit < .max else { return .main }
        let cost = countsEntries ? 1 : cost
        guard hasEvicted else { return smallSize >= target(limit) ? .main : .young }
        guard isReturning else { return .young }
        // Prefetched entries leave first.
        let isFull = smallSize + size(main) + cost > limit
        return !isFull || winsChallenge(cost: cost, limit: limit, in: view) ? .main : .young
    }

    private mutating func winsChallenge(cost: Int, limit: Int, in view: CacheView.Pointer) -> Bool {
        guard displaced == 0, let victim = main.removeOldest(in: view) else { return false }
        guard view.pointee.uses(of: victim).takeAll() == 0 else {
            main.insert(victim, in: view)
            (streak, boost) = (0, 0)
            noteShare(limit)
            return false
        }
        displaced = victim
        streak += 1
        if streak > Constants.streak {
            boost = min(boost + Double(cost), max(0, Constants.boostedShare - share) * Double(limit))
            noteShare(limit)
        }
        return true
    }

    /// Adds an entry that is in no queue.
    mutating func insert(_ entry: UInt32, into queue: EntryQueue, limit: Int, in view: CacheView.Pointer) {
        switch queue {
        case .none: break
        case .prefetched: prefetched.insert(entry, in: view)
        case .young: young.insert(entry, in: view)
        case .old: old.insert(entry, in: view)
        case .main: main.insert(entry, in: view)
        case .onScreen: onScreen.insert(entry, in: view)
        }
        if limit < .max { age(limit, in: view) }
    }

    /// Moves entries from the young half to the old half, and entries that were read to the main queue.
    private mutating func age(_ limit: Int, in view: CacheView.Pointer) {
        let half = max(1, target(limit) / 2)
        var moves = 0
        while moves < Constants.moves, size(young) > half, young.oldest != young.newest {
            moves += 1
            guard let entry = young.removeOldest(in: view) else { return }
            if view.pointee.uses(of: entry).takeAll() > 0 {
                main.insert(entry, in: view)
            } else {
                old.insert(entry, in: view)
            }
        }
    }

    // MARK: Removal

    /// Takes an entry out of its queue, if it is in one.
    @inline(__always)
    mutating func remove(_ entry: UInt32, in view: CacheView.Pointer) {
        if view.pointee.header(of: entry).pointee.queue != .none || displaced != 0 { unlink(entry, in: view) }
    }

    // Not inlined, because an entry that a limit evicts is already out of its queue.
    @inline(never)
    private mutating func unlink(_ entry: UInt32, in view: CacheView.Pointer) {
        switch view.pointee.header(of: entry).pointee.queue {
        case .none: if displaced == entry { displaced = 0 }
        case .prefetched: prefetched.remove(entry, in: view)
        case .young: young.remove(entry, in: view)
        case .old: old.remove(entry, in: view)
        case .main: main.remove(entry, in: view)
        case .onScreen: onScreen.remove(entry, in: view)
        }
    }

    /// Records a change of an entry's cost.
    mutating func changeCost(of entry: UInt32, by bytes: Int, in view: CacheView.Pointer) {
        switch view.pointee.header(of: entry).pointee.queue {
        case .none: break
        case .prefetched: prefetched.changeCost(by: bytes)
        case .young: young.changeCost(by: bytes)
        case .old: old.changeCost(by: bytes)
        case .main: main.changeCost(by: bytes)
        case .onScreen: onScreen.changeCost(by: bytes)
        }
    }

    /// Replaces an entry in its queue by the number to which its header was copied.
    mutating func move(_ entry: UInt32, to other: UInt32, in view: CacheView.Pointer) {
        switch view.pointee.header(of: other).pointee.queue {
        case .none: if displaced == entry { displaced = other }
        case .prefetched: prefetched.relink(other, in: view)
        case .young: young.relink(other, in: view)
        case .old: old.relink(other, in: view)
        case .main: main.relink(other, in: view)
        case .onScreen: onScreen.relink(other, in: view)
        }
    }

    // MARK: Eviction

    /// Takes the entry that a limit evicts next out of its queue.
    ///
    /// - Parameters:
    ///   - limit: The limit of the cache.
    ///   - includingOnScreen: Whether entries on screen may leave if there are no others.
    ///   - view: The memory of the entries.
    /// - Returns: The entry; `nil` if none may leave.
    mutating func takeNext(limit: Int, includingOnScreen: Bool, in view: CacheView.Pointer) -> UInt32? {
        if let entry = takePrefetched(in: view) ?? takeDisplaced() { return entry }
        hasEvicted = true
        if let entry = takeSmall(limit, in: view) ?? takeMain(in: view) { return entry }
        return includingOnScreen ? takeOnScreen(in: view) : nil
    }

    /// Takes the next entry out of its queue because memory is short.
    ///
    /// It comes from the small queue, oldest first, then from the main queue; never from the screen. The queues do not
    /// adapt to it.
    mutating func takeForShortage(in view: CacheView.Pointer) -> UInt32? {
        if let entry = takePrefetched(in: view) ?? takeDisplaced() { return entry }
        for _ in 0..<Constants.moves {
            guard let entry = old.removeOldest(in: view) ?? young.removeOldest(in: view) else { break }
            guard view.pointee.uses(of: entry).takeAll() > 0 else { return entry.leavingTrace(in: view) }
            main.insert(entry, in: view)
        }
        return takeMain(in: view)
    }

    /// The entry that will leave next unless it is read before; 0 if unknown.
    var likelyNext: UInt32 { displaced != 0 ? displaced : old.oldest != 0 ? old.oldest : main.oldest }

    private mutating func takeDisplaced() -> UInt32? {
        guard displaced != 0 else { return nil }
        defer { displaced = 0 }
        return displaced
    }

    /// Takes out the oldest prefetched entry that was never read; prefetched entries that were read move to the main
    /// queue.
    mutating func takePrefetched(in view: CacheView.Pointer) -> UInt32? {
        for _ in 0..<Constants.moves {
            guard let entry = prefetched.removeOldest(in: view) else { return nil }
            guard view.pointee.uses(of: entry).takeAll() > 0 else { return entry }
            main.insert(entry, in: view)
        }
        return nil
    }

    private mutating func takeSmall(_ limit: Int, in view: CacheView.Pointer) -> UInt32? {
        var (fills, moves) = (0, 0)
        while smallSize >= target(limit) || main.count == 0 {
            moves += 1
            // The next evictions continue.
            if moves > Constants.moves, main.count > 0 { return nil }
            let isOld = old.count > 0
            guard let entry = isOld ? old.removeOldest(in: view) : young.removeOldest(in: view) else { return nil }
            let size = size(of: entry, in: view)
            if view.pointee.uses(of: entry).takeAll() > 0 {
                if isOld { noteLateRead(Double(size), limit) }
                main.insert(entry, in: view)
            } else if self.size(main) + size < limit - target(limit), fills < Constants.fills {
                fills += 1
                main.insert(entry, asOldest: true, in: view)
            } else {
                noteUnread(Double(size), limit)
                return entry.leavingTrace(in: view)
            }
        }
        return nil
    }

    private mutating func takeMain(in view: CacheView.Pointer) -> UInt32? {
        for _ in 0..<Constants.looks {
            guard let entry = main.removeOldest(in: view) else { return nil }
            guard view.pointee.uses(of: entry).takeOne() else { return entry }
            main.insert(entry, in: view)
        }
        return main.removeOldest(in: view)
    }

    private mutating func takeOnScreen(in view: CacheView.Pointer) -> UInt32? {
        for _ in 0..<Constants.looks {
            guard let entry = onScreen.removeOldest(in: view) else { return nil }
            guard view.pointee.uses(of: entry).takeOne() else { return entry.leavingScreen(in: view) }
            onScreen.insert(entry, in: view)
        }
        return onScreen.removeOldest(in: view)?.leavingScreen(in: view)
    }

    private mutating func noteLateRead(_ bytes: Double, _ limit: Int) {
        guard share < Constants.largestShare else { return }
        share = min(Constants.largestShare, share + bytes / Double(limit))
        noteShare(limit)
    }

    private mutating func noteUnread(_ bytes: Double, _ limit: Int) {
        share = max(Constants.leastShare, share - rentPerByte * share * bytes)
        noteShare(limit)
    }

    /// Resets the adaptation after the limit was lowered, or memory is short.
    ///
    /// The entries left in the main queue are then too young for their lost challenges to be evidence, and boosts would
    /// flush out a loop. So boosts end.
    mutating func noteLoweredLimit() {
        (streak, boost) = (.min / 2, 0)
        targetLimit = 0
    }

    // MARK: Queries

    /// All entries that may leave, the last to leave first.
    func hottestFirst(in view: CacheView.Pointer) -> [UInt32] {
        let displaced = displaced == 0 ? [] : [displaced]
        let others = [onScreen, main, young, old].flatMap { order(of: $0, in: view) }
        return others + displaced + order(of: prefetched, in: view)
    }

    private func order(of list: EntryList, in view: CacheView.Pointer) -> [UInt32] {
        var entries: [(entry: UInt32, uses: UInt8)] = []
        var entry = list.newest
        while entry != 0 {
            let header = view.pointee.header(of: entry)
            entries.append((entry, view.pointee.uses(of: entry).number))
            entry = header.pointee.older
        }
        // Entries that the hand passes once more come before those that it takes, in order of age.
        return (0...EntryUses.most).reversed().flatMap { uses in
            entries.filter { $0.uses == uses }.map(\.entry)
        }
    }
}

extension UInt32 {
    /// Marks an entry to be recognised if it returns soon.
    fileprivate func leavingTrace(in view: CacheView.Pointer) -> UInt32 {
        view.pointee.header(of: self).pointee.marks.insert(.leavesTrace)
        return self
    }

    /// Marks an entry to be put back on screen if it cannot leave.
    fileprivate func leavingScreen(in view: CacheView.Pointer) -> UInt32 {
        view.pointee.header(of: self).pointee.marks.insert(.leavesScreen)
        return self
    }
}
