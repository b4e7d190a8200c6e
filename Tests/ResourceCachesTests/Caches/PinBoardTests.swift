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

    private func record(_ entry: UInt32, ends: UInt64 = .max) -> PinBoard.Record {
        PinBoard.Record(entry: entry, owner: "o", ends: ends)
    }

    @Test("an entry is pinned until its last pin ends, and its cost counts once")
    func several() {
        var board = PinBoard()
        let (first, second) = (entry(cost: 3), entry(cost: 5))
        let pins = [
            board.add(record(first), priority: .onScreen, in: view),
            board.add(record(second), priority: .prefetched, in: view),
            board.add(record(first), priority: .offScreen, in: view),
        ]
        #expect(Set(pins).count == 3)
        #expect(board.cost == 8)
        #expect(board.end(pins[0], in: view) == nil)
        #expect(isPinned(first))
        #expect(board.end(pins[0], in: view) == nil, "a pin ends once")
        #expect(board.cost == 8)
        let ended = board.end(pins[2], in: view)
        #expect(ended?.entry == first && ended?.priority == .onScreen)
        #expect(!isPinned(first))
        #expect(board.cost == 5)
        board.setPriority(.onScreen, of: second)
        #expect(board.end(pins[1], in: view)?.priority == .onScreen)
        #expect(board.records.isEmpty && board.count == 0 && board.cost == 0)
    }

    @Test("pins expire, and the entry is free after the last of them")
    func expiry() {
        var board = PinBoard()
        let (first, second) = (entry(cost: 3), entry(cost: 5))
        _ = board.add(record(first, ends: 10), priority: .offScreen, in: view)
        _ = board.add(record(first, ends: 20), priority: .offScreen, in: view)
        _ = board.add(record(second, ends: 15), priority: .offScreen, in: view)
        #expect(board.endExpired(at: 9, in: view).isEmpty)
        #expect(board.endExpired(at: 10, in: view).isEmpty)
        #expect(board.endExpired(at: 15, in: view).map(\.entry) == [second])
        #expect(board.endExpired(at: .max - 1, in: view).map(\.entry) == [first])
        #expect(board.records.isEmpty && board.count == 0 && board.cost == 0)
    }

    @Test("an entry that is removed ends its pins, and one that moves keeps them")
    func removalAndMove() {
        var board = PinBoard()
        let (first, second, third) = (entry(cost: 3), entry(cost: 5), entry(cost: 3))
        let pin = board.add(record(first), priority: .onScreen, in: view)
        let other = board.add(record(second), priority: .offScreen, in: view)
        view.pointee.header(of: third).pointee = view.pointee.header(of: first).pointee
        board.move(first, to: third)
        #expect(isPinned(third))
        #expect(board.cost == 8)
        board.remove(second, in: view)
        #expect(!isPinned(second))
        #expect(board.cost == 3)
        #expect(board.end(other, in: view) == nil)
        #expect(board.end(pin, in: view)?.entry == third)
        #expect(board.records.isEmpty && board.count == 0 && board.cost == 0)
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
