import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

struct HostTableTests {
    private static func entry(_ id: HostID) -> HostEntry {
        let newcomer = Newcomer(id: id, connection: 1, pid: 1, uid: 1, hello: Hello(name: "host \(id)"))
        return HostEntry(newcomer, in: .wholeHost, told: .normal)
    }

    private static func table(_ ids: [HostID]) -> HostTable {
        var table = HostTable()
        for id in ids { table.add(entry(id)) }
        return table
    }

    private static func ids(_ table: HostTable) -> [HostID] { table.slots.map { table[$0].id } }

    @Test func idsRiseFromOneAndAreNotReused() {
        var table = HostTable()
        #expect((0..<3).map { _ in table.makeID() } == [1, 2, 3])
        table.advance(past: 9)
        table.advance(past: 5)
        #expect(table.makeID() == 10)
    }

    @Test(
        "a page begins after an id, whether or not that host still exists",
        arguments: [
            (0, 2, [2, 3]), (2, 2, [3, 5]), (4, 9, [5, 8]), (1, 0, []), (8, 3, []), (UInt64.max, 3, []),
        ] as [(UInt64, Int, [UInt64])]
    )
    func page(after id: UInt64, limit: Int, expected: [UInt64]) {
        let table = Self.table([2, 3, 5, 8])
        #expect(table.page(after: id, limit: limit).map { table[$0].id } == expected)
    }

    @Test("hosts that are added in another order than that of their ids are found, listed in order and removed")
    func otherOrder() throws {
        var table = Self.table([5, 2, 8, 3, 1])
        #expect(Self.ids(table) == [1, 2, 3, 5, 8])
        #expect(table.page(after: 2, limit: 2).map { table[$0].id } == [3, 5])
        for id: HostID in [8, 2, 5, 1, 3] {
            let slot = try #require(table.slot(of: id))
            #expect(table[slot].name == "host \(id)")
            table.remove(slot)
        }
        #expect(table.count == 0)
    }

    @Test("a host that leaves is no longer found, the others stay in order, and its slot is reused")
    func removal() throws {
        var table = Self.table([1, 2, 3, 4])
        let place = try #require(table.slot(of: 2))
        table.remove(place)
        #expect(Self.ids(table) == [1, 3, 4])
        #expect(table.slot(of: 2) == nil)
        #expect(table.add(Self.entry(5)) == place)
        #expect(Self.ids(table) == [1, 3, 4, 5])
        #expect(table[try #require(table.slot(of: 5))].name == "host 5")
        for id: HostID in [4, 1, 5, 3] { table.remove(try #require(table.slot(of: id))) }
        #expect(table.count == 0)
        #expect(table.slot(of: 0) == nil)
    }
}
