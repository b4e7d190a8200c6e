/// The pinned entries, with the owner and the end of each pin.
///
/// A pinned entry is in no queue, and the links of its header lead to its pins: ``EntryHeader/newer`` is the place of its
/// newest pin, and ``EntryHeader/older`` is the raw value of the queue to which it returns. All calls except
/// ``endExpired(at:in:)``, ``visit(from:_:)`` and those that change all pins of an entry take constant time.
///
/// The policy's lock guards it.
struct PinBoard {
    /// A pin.
    struct Pin {
        /// The pinned entry; 0 if the place is free.
        fileprivate(set) var entry: UInt32
        let owner: String
        /// In nanoseconds of the cache's clock; the maximum for no end.
        let ends: UInt64
        fileprivate let serial: UInt64
        /// The places of the entry's other pins, 0 for none.
        ///
        /// In a free place ``next`` is the next free one.
        fileprivate var previous: UInt32
        fileprivate var next: UInt32
    }

    /// The number of a pin, which no other pin of the cache ever has.
    struct Number: Hashable, Sendable {
        fileprivate let place: UInt32
        fileprivate let serial: UInt64
    }

    /// An entry without further pins, and the queue to which it returns.
    typealias Unpinned = (entry: UInt32, queue: EntryQueue)

    /// The number of pins that a call examines at most, or ends: some microseconds of work.
    static let steps = (looks: 1024, ends: 64)

    // In pieces, so that no call moves many pins when their number grows. Place 0 stands for none.
    private var pieces: [[Pin]] = []
    private static let pieceSize: UInt32 = 256
    private var firstFree: UInt32 = 0
    private var placeCount: UInt32 = 1
    private var lastSerial: UInt64 = 0
    /// The number of pinned entries.
    private(set) var count = 0
    /// The cost of all pinned entries.
    private(set) var cost = 0

    /// No pin ends before this time.
    private var nextEnd = UInt64.max
    /// The place at which the search for expired pins goes on, and the next end among the pins that it has passed.
    private var sweep: (place: UInt32, nextEnd: UInt64) = (1, .max)

    private subscript(_ place: UInt32) -> Pin {
        _read { yield pieces[Int(place / Self.pieceSize)][Int(place % Self.pieceSize)] }
        _modify { yield &pieces[Int(place / Self.pieceSize)][Int(place % Self.pieceSize)] }
    }

    /// Pins an entry that is no longer in a queue.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - owner: The owner of the pin.
    ///   - ends: Its end, in nanoseconds of the cache's clock; the maximum for none.
    ///   - queue: The queue of the entry after its pins; ignored if it is pinned already.
    ///   - view: The memory of the entries.
    /// - Returns: The number of the pin.
    mutating func add(
        _ entry: UInt32,
        owner: String,
        ends: UInt64 = .max,
        returningTo queue: EntryQueue,
        in view: CacheView.Pointer
    ) -> Number {
        let header = view.pointee.header(of: entry)
        if header.pointee.marks.insert(.isPinned).inserted {
            count += 1
            cost += header.pointee.cost.bytes
            (header.pointee.older, header.pointee.newer) = (UInt32(queue.rawValue), 0)
        }
        lastSerial += 1
        nextEnd = min(nextEnd, ends)
        sweep.nextEnd = min(sweep.nextEnd, ends)
        let next = header.pointee.newer
        let place = put(Pin(entry: entry, owner: owner, ends: ends, serial: lastSerial, previous: 0, next: next))
        if next != 0 { self[next].previous = place }
        header.pointee.newer = place
        return Number(place: place, serial: lastSerial)
    }

    private mutating func put(_ pin: Pin) -> UInt32 {
        let place = firstFree
        if place != 0 {
            firstFree = self[place].next
            self[place] = pin
            return place
        }
        defer { placeCount += 1 }
        if placeCount % Self.pieceSize == 0 || pieces.isEmpty {
            pieces.append([])
            pieces[pieces.count - 1].reserveCapacity(Int(Self.pieceSize))
            if pieces.count == 1 { pieces[0].append(Self.free(0)) }
        }
        pieces[pieces.count - 1].append(pin)
        return placeCount
    }

    private static func free(_ next: UInt32) -> Pin {
        Pin(entry: 0, owner: "", ends: .max, serial: 0, previous: 0, next: next)
    }

    private mutating func clear(_ place: UInt32) {
        self[place] = Self.free(firstFree)
        firstFree = place
    }

    /// Sets the queue of a pinned entry after its pins.
    func setQueue(_ queue: EntryQueue, of entry: UInt32, in view: CacheView.Pointer) {
        view.pointee.header(of: entry).pointee.older = UInt32(queue.rawValue)
    }

    /// The queue of a pinned entry after its pins.
    static func queue(after header: EntryHeader) -> EntryQueue {
        // Only raw values of queues are stored.
        EntryQueue(rawValue: UInt8(truncatingIfNeeded: header.older)) ?? .main
    }

    /// Records a change of a pinned entry's cost.
    mutating func changeCost(by bytes: Int) {
        cost += bytes
    }

    /// Ends a pin.
    ///
    /// - Returns: Its entry, if it was the entry's last pin; otherwise `nil`.
    mutating func end(_ number: Number, in view: CacheView.Pointer) -> Unpinned? {
        // The memory may have been given back since.
        number.place < placeCount && self[number.place].serial == number.serial ? end(at: number.place, in: view) : nil
    }

    private mutating func end(at place: UInt32, in view: CacheView.Pointer) -> Unpinned? {
        let (entry, previous, next) = (self[place].entry, self[place].previous, self[place].next)
        clear(place)
        if next != 0 { self[next].previous = previous }
        if previous != 0 {
            self[previous].next = next
            return nil
        }
        let header = view.pointee.header(of: entry)
        header.pointee.newer = next
        guard next == 0 else { return nil }
        let queue = Self.queue(after: header.pointee)
        forget(entry, in: view)
        return (entry, queue)
    }

    /// Examines some more pins, and ends the expired ones.
    ///
    /// - Returns: The entries that are no longer pinned; `nil` once all pins have been examined and none has expired.
    mutating func endExpired(at now: UInt64, in view: CacheView.Pointer) -> [Unpinned]? {
        guard nextEnd <= now else { return nil }
        // Pins that begin from now on are noted.
        if sweep.place == 1 { sweep.nextEnd = .max }
        var entries: [Unpinned] = []
        var ends = 0
        let last = min(placeCount, sweep.place + UInt32(Self.steps.looks))
        while sweep.place < last, ends < Self.steps.ends {
            let end = self[sweep.place].ends
            if end <= now {
                if let unpinned = self.end(at: sweep.place, in: view) { entries.append(unpinned) }
                ends += 1
            } else {
                sweep.nextEnd = min(sweep.nextEnd, end)
            }
            sweep.place += 1
        }
        if sweep.place == placeCount {
            nextEnd = sweep.nextEnd
            sweep = (1, .max)
        }
        return entries
    }

    /// Whether a pin has an end, so that the clock has to be read.
    var hasEnds: Bool { nextEnd < .max }

    /// Calls `body` with some more of the pins.
    ///
    /// - Parameters:
    ///   - place: The place at which to go on, at first 1.
    ///   - body: Called with each pin.
    /// - Returns: `false` if there are no more.
    func visit(from place: inout UInt32, _ body: (Pin) -> Void) -> Bool {
        let last = min(placeCount, place + UInt32(Self.steps.ends))
        for place in place..<max(place, last) where self[place].entry != 0 { body(self[place]) }
        place = last
        return last < placeCount
    }

    /// Takes out the memory of the places, if there are no pins; `nil` if there is little.
    mutating func takeSpare() -> [[Pin]]? {
        guard count == 0, pieces.count > 4 else { return nil }
        defer { (pieces, firstFree, placeCount, nextEnd, sweep) = ([], 0, 1, .max, (1, .max)) }
        return pieces
    }

    /// Forgets an entry that is leaving; the numbers of its pins are not used again.
    mutating func remove(_ entry: UInt32, in view: CacheView.Pointer) {
        var place = view.pointee.header(of: entry).pointee.newer
        while place != 0 {
            let next = self[place].next
            clear(place)
            place = next
        }
        forget(entry, in: view)
    }

    private mutating func forget(_ entry: UInt32, in view: CacheView.Pointer) {
        let header = view.pointee.header(of: entry)
        header.pointee.marks.remove(.isPinned)
        (header.pointee.older, header.pointee.newer) = (0, 0)
        count -= 1
        cost -= header.pointee.cost.bytes
    }

    /// Changes the entry of pins to the number to which its header was copied.
    mutating func move(to entry: UInt32, in view: CacheView.Pointer) {
        var place = view.pointee.header(of: entry).pointee.newer
        while place != 0 {
            self[place].entry = entry
            place = self[place].next
        }
    }
}
