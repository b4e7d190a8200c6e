/// In which order entries leave a cache.
///
/// After S3-FIFO (Yang et al., SOSP 2023): a new entry stands in a small queue, and goes on to the main one only if it
/// was read there; most of what is used once leaves without costing others their place. At the end of the main queue
/// the hand takes the uses off an entry that was read and sends it round again. A hit moves nothing. Three things
/// adapt it, all driven by what happens at evictions, to loads that S3-FIFO is bad at:
///
/// - **The small queue's share.** An entry that is first read in its old half makes it larger by that entry: a little
///   more and it would have left unread. One that leaves unread makes it smaller.
/// - **A challenge.** An entry that comes back after it has left the small queue takes the place of the main queue's
///   next victim, if that has not been read; else it begins in the small queue like any other. So a loop that does not
///   fit keeps a part of itself in place.
/// - **A boost.** If ``Constants/streak`` challenges are won in a row, the main queue holds what is no longer read;
///   each further one moves the room for it to the small queue, until a challenge is lost. That is for loads that go
///   to and fro.
///
/// All sizes are costs, or numbers of entries where that is what the limit that has entries leave counts.
///
/// Until the first eviction new entries go to the main queue once the small one has its share; without any limit all
/// do. Before all these leaves what was prefetched and never read, after them what is on screen.
///
/// The policy's lock guards it. It knows entries by their number only.
struct EvictionQueues {
    enum Constants {
        /// Of the limit, what the small queue begins with, and what it keeps.
        static let firstShare = 1.0 / 50
        static let leastShare = 1.0 / 100
        /// What late reads make of it at most, and challenges.
        static let largestShare = 1.0 / 2
        static let boostedShare = 0.95
        /// An unread pass through the small queue takes this part of its share of the entry's cost off it.
        static let rent = 0.2
        static let streak = 8
        /// How often the hand turns for one eviction.
        static let looks = 32
        /// How many entries change their queue for one insertion or eviction.
        static let moves = 32
        /// How many leavers fill the main queue for one eviction, when that has become too small.
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
    /// What lost a challenge, and leaves next.
    private var displaced: UInt32 = 0

    /// Whether limits and sizes of queues are numbers of entries, and not costs.
    private(set) var countsEntries = false

    private var smallSize: Int { size(young) + size(old) }

    @inline(__always)
    private func size(_ list: EntryList) -> Int { countsEntries ? list.count : list.cost }

    @inline(__always)
    private func size(of entry: UInt32, in view: CacheView.Pointer) -> Int {
        countsEntries ? 1 : view.pointee.bytes(of: entry)
    }

    /// Says by which figure the limit goes from now on.
    mutating func setCountsEntries(_ countsEntries: Bool) {
        guard countsEntries != self.countsEntries else { return }
        self.countsEntries = countsEntries
        (streak, boost) = (0, 0)
        targetLimit = 0
    }

    /// What the small queue may hold under the limit of ``targetLimit``.
    private var knownTarget = 0
    private var targetLimit = 0
    private var rentPerByte = 0.0

    /// What the small queue may hold.
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
        // Less than the limit, so it fits.
        knownTarget = max(1, Int(min(share * limit + boost, max(share, Constants.boostedShare) * limit)))
    }

    // MARK: Coming

    /// Where a new entry of no special priority begins.
    ///
    /// - Parameters:
    ///   - isReturning: Whether its key's entry left the small queue not long ago.
    ///   - cost: Its cost.
    ///   - limit: What the cache may hold; the largest number there is for no limit.
    ///   - view: Where the entries lie.
    /// - Returns: The queue, young or main.
    mutating func place(isReturning: Bool, cost: Int, limit: Int, in view: CacheView.Pointer) -> EntryQueue {
        guard limit < .max else { return .main }
        let cost = countsEntries ? 1 : cost
        guard hasEvicted else { return smallSize >= target(limit) ? .main : .young }
        guard isReturning else { return .young }
        // What was fetched ahead leaves first.
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

    /// Adds an entry that stands in no queue.
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

    /// Hands what is old from the young half to the old one, and what was read to the main queue.
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

    // MARK: Leaving by hand

    /// Takes an entry out of its queue, if it is not out already.
    @inline(__always)
    mutating func remove(_ entry: UInt32, in view: CacheView.Pointer) {
        if view.pointee.header(of: entry).pointee.queue != .none || displaced != 0 { unlink(entry, in: view) }
    }

    // Apart, as what leaves for a limit is out of it.
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

    /// Notes that an entry's cost has changed by so much.
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

    /// Puts an entry, whose header was copied from that of another number, in that one's place.
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

    // MARK: Leaving by the cache's choice

    /// Takes the entry out of its queue that is to leave for a limit.
    ///
    /// - Parameters:
    ///   - limit: What the cache may hold.
    ///   - includingOnScreen: Whether what is on screen may leave if nothing else is there.
    ///   - view: Where the entries lie.
    /// - Returns: The entry; `nil` if there is none that may.
    mutating func takeNext(limit: Int, includingOnScreen: Bool, in view: CacheView.Pointer) -> UInt32? {
        if let entry = takePrefetched(in: view) ?? takeDisplaced() { return entry }
        hasEvicted = true
        if let entry = takeSmall(limit, in: view) ?? takeMain(in: view) { return entry }
        return includingOnScreen ? takeOnScreen(in: view) : nil
    }

    /// Takes the next entry out of its queue because memory is short.
    ///
    /// The small queue first, oldest first, then the main one; none that is on screen. Learns nothing from it.
    mutating func takeForShortage(in view: CacheView.Pointer) -> UInt32? {
        if let entry = takePrefetched(in: view) ?? takeDisplaced() { return entry }
        for _ in 0..<Constants.moves {
            guard let entry = old.removeOldest(in: view) ?? young.removeOldest(in: view) else { break }
            guard view.pointee.uses(of: entry).takeAll() > 0 else { return entry.leavingTrace(in: view) }
            main.insert(entry, in: view)
        }
        return takeMain(in: view)
    }

    /// The entry that will leave next if it is not read before; 0 for none that is known.
    var likelyNext: UInt32 { displaced != 0 ? displaced : old.oldest != 0 ? old.oldest : main.oldest }

    private mutating func takeDisplaced() -> UInt32? {
        guard displaced != 0 else { return nil }
        defer { displaced = 0 }
        return displaced
    }

    /// Takes out the oldest entry that was prefetched and never read; those that were read belong to the main queue.
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
            // The rest has its turn at the next evictions.
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

    /// The limit was lowered, or memory is short.
    ///
    /// Those left in the main queue are too young, then, for their lost challenges to say anything, and a loop would be
    /// flushed out by boosts. There are none any more.
    mutating func noteLoweredLimit() {
        (streak, boost) = (.min / 2, 0)
        targetLimit = 0
    }

    // MARK: Looking

    /// All entries that stand in queues, those first that would leave last.
    func hottestFirst(in view: CacheView.Pointer) -> [UInt32] {
        [onScreen, main, young, old, prefetched].flatMap { list in
            var entries: [(entry: UInt32, uses: UInt8)] = []
            var entry = list.newest
            while entry != 0 {
                let header = view.pointee.header(of: entry)
                entries.append((entry, view.pointee.uses(of: entry).number))
                entry = header.pointee.older
            }
            // Those that the hand passes once more come before those it takes, each in order of age.
            return (0...EntryUses.most).reversed().flatMap { uses in
                entries.filter { $0.uses == uses }.map(\.entry)
            }
        }
    }
}

extension UInt32 {
    /// Marks an entry as one to be known again if it comes back soon.
    fileprivate func leavingTrace(in view: CacheView.Pointer) -> UInt32 {
        view.pointee.header(of: self).pointee.marks.insert(.leavesTrace)
        return self
    }

    /// Marks an entry as one to be put back there if it cannot leave.
    fileprivate func leavingScreen(in view: CacheView.Pointer) -> UInt32 {
        view.pointee.header(of: self).pointee.marks.insert(.leavesScreen)
        return self
    }
}
