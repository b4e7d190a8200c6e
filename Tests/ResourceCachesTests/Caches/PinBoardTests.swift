import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct PinBoardTests {
    private let cache = ResourceCache<Int, Int>("K")
    private var view: CacheView.Pointer { cache.view }

    private func entry(cost: Int) -> UInt32 {
        cache.core.pointee.makeEntry(hash: 0, cost: EntryCost(cost), times: nil)
    }

    private func isPinned(_ entry: UInt32) -> Bool {
        view.pointee.header(of: entry).pointee.marks.contains(.isPinned)
    }

    /// The entries whose last pins end in one step; `nil` if no pin has expired.
    private func endExpired(_ board: inout PinBoard, at now: UInt64) -> [UInt32]? {
        board.endExpired(at: now, in: view)?.map(\.entry)
    }

    private func owners(_ board: PinBoard) -> [String] {
        var (place, owners) = (UInt32(1), [String]())
        while board.visit(from: &place, { owners.append($0.owner) }) {}
        return owners.sorted()
    }

    @Test("an entry is pinned until its last pin ends, and its cost counts once")
    func several() {
        var board = PinBoard()
        let (first, second) = (entry(cost: 3), entry(cost: 5))
        let pins = [
            board.add(first, owner: "a", returningTo: .onScreen, in: view),
            board.add(second, owner: "b", returningTo: .prefetched, in: view),
            board.add(first, owner: "c", returningTo: .main, in: view),
        ]
        #expect(Set(pins).count == 3)
        #expect(board.cost == 8)
        #expect(owners(board) == ["a", "b", "c"])
        #expect(board.end(pins[0], in: view) == nil)
        #expect(isPinned(first))
        #expect(board.end(pins[0], in: view) == nil, "a pin ends once")
        #expect(board.cost == 8)
        let ended = board.end(pins[2], in: view)
        #expect(ended?.entry == first && ended?.queue == .onScreen)
        #expect(!isPinned(first))
        #expect(board.cost == 5)
        board.setQueue(.onScreen, of: second, in: view)
        #expect(board.end(pins[1], in: view)?.queue == .onScreen)
        #expect(owners(board) == [] && board.count == 0 && board.cost == 0)
    }

    @Test("the pins of an entry end in any order", arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]])
    func order(order: [Int]) {
        var board = PinBoard()
        let entry = entry(cost: 3)
        let pins = (0..<3).map { board.add(entry, owner: "\($0)", returningTo: .main, in: view) }
        #expect(board.end(pins[order[0]], in: view) == nil)
        #expect(owners(board) == order[1...].map { "\($0)" }.sorted())
        #expect(board.end(pins[order[1]], in: view) == nil)
        #expect(owners(board) == ["\(order[2])"])
        #expect(board.end(pins[order[2]], in: view)?.entry == entry)
    }

    @Test("pins expire, and the entry is free after the last of them")
    func expiry() {
        var board = PinBoard()
        let (first, second) = (entry(cost: 3), entry(cost: 5))
        #expect(!board.hasEnds)
        _ = board.add(first, owner: "o", ends: 10, returningTo: .main, in: view)
        _ = board.add(first, owner: "o", ends: 20, returningTo: .main, in: view)
        _ = board.add(second, owner: "o", ends: 15, returningTo: .main, in: view)
        #expect(board.hasEnds)
        #expect(endExpired(&board, at: 9) == nil)
        #expect(endExpired(&board, at: 10) == [])
        #expect(endExpired(&board, at: 14) == nil, "the next end is known")
        #expect(endExpired(&board, at: 15) == [second])
        #expect(endExpired(&board, at: .max - 1) == [first])
        #expect(!board.hasEnds)
        #expect(owners(board) == [] && board.count == 0 && board.cost == 0)
    }

    @Test("a step ends 64 expired pins at most, and all end after a few steps", arguments: [1, 1000])
    func steps(entries: Int) {
        var board = PinBoard()
        let entries = (0..<entries).map { _ in entry(cost: 1) }
        for number in 0..<3000 {
            let ends: UInt64 = number % 3 == 0 ? 30 : 10
            _ = board.add(entries[number % entries.count], owner: "o", ends: ends, returningTo: .main, in: view)
        }
        var steps = 0
        var rest = 3000
        while endExpired(&board, at: 10) != nil {
            steps += 1
            let before = rest
            rest = owners(board).count
            #expect(before - rest <= 64)
            // A pin that begins during the search counts from then on.
            if steps == 2 { _ = board.add(entries[0], owner: "new", ends: 20, returningTo: .main, in: view) }
        }
        #expect(rest == 1001)
        #expect(steps < 3000 / 64 + 5)
        #expect(endExpired(&board, at: 20) == [])
        while endExpired(&board, at: 30) != nil {}
        #expect(owners(board) == [] && board.count == 0 && board.cost == 0)
    }

    @Test("an entry that is removed ends its pins, and one that moves keeps them")
    func removalAndMove() {
        var board = PinBoard()
        let (first, second, third) = (entry(cost: 3), entry(cost: 5), entry(cost: 3))
        let pins = ["a", "b"].map { board.add(first, owner: $0, returningTo: .onScreen, in: view) }
        let others = ["c", "d"].map { board.add(second, owner: $0, returningTo: .main, in: view) }
        view.pointee.header(of: third).pointee = view.pointee.header(of: first).pointee
        board.move(to: third, in: view)
        #expect(isPinned(third))
        #expect(board.cost == 8)
        board.remove(second, in: view)
        #expect(!isPinned(second))
        #expect(board.cost == 3)
        #expect(owners(board) == ["a", "b"])
        #expect(others.allSatisfy { board.end($0, in: view) == nil })
        #expect(board.end(pins[1], in: view) == nil)
        #expect(board.end(pins[0], in: view)?.entry == third)
        #expect(owners(board) == [] && board.count == 0 && board.cost == 0)
    }

    @Test("the memory of many pins is given back when there are none, and their numbers stay without effect")
    func spare() {
        var board = PinBoard()
        let entry = entry(cost: 1)
        let pins = (0..<2_000).map { _ in board.add(entry, owner: "o", ends: 10, returningTo: .main, in: view) }
        #expect(board.takeSpare() == nil)
        while board.endExpired(at: 10, in: view) != nil {}
        #expect(board.takeSpare()?.count == 8)
        #expect(board.takeSpare() == nil)
        let new = board.add(entry, owner: "new", returningTo: .main, in: view)
        #expect(pins.allSatisfy { board.end($0, in: view) == nil })
        #expect(owners(board) == ["new"])
        #expect(board.end(new, in: view)?.entry == entry)
    }

    @Test("a pin that outlives its value does not end the pin of another value")
    func outliving() throws {
        let cache = ResourceCache<Int, Int>("K", limit: 1)
        cache.insert(1, for: 1)
        var old = cache.pin(1, owner: "old")
        cache.removeAll()
        cache.insert(2, for: 2)
        let new = cache.pin(2, owner: "new")
        #expect(old != nil && new != nil)
        old = nil
        #expect(cache.pins.map(\.owner) == ["new"])
        cache.insert(3, for: 3)
        #expect(cache.contains(2))
        _ = consume new
    }
}
