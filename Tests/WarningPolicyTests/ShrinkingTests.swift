import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

struct ShrinkingTests {
    @Test("memory is released once more than three quarters of the entries are gone, and the other entries stay")
    func containers() {
        var list = Array(0..<10_000)
        var table = Dictionary(uniqueKeysWithValues: list.map { ($0, -$0) })
        let (listRoom, tableRoom) = (list.capacity, table.capacity)
        list.removeLast(6_000)
        for key in 4_000..<10_000 { table[key] = nil }
        list.shrink()
        table.shrink()
        #expect(list.capacity == listRoom && table.capacity == tableRoom, "it would soon be needed again")

        list.removeLast(3_000)
        for key in 1_000..<4_000 { table[key] = nil }
        list.shrink()
        table.shrink()
        #expect(list.capacity < 2_000 && table.capacity < 4_000)
        #expect(list == Array(0..<1_000))
        #expect(table.count == 1_000 && table.allSatisfy { $0 == -$1 && $0 < 1_000 })
    }

    private func entry(_ id: HostID) -> HostEntry {
        let newcomer = Newcomer(
            id: id,
            connection: ConnectionID(id),
            door: .native,
            pid: 1,
            uid: 1,
            hello: Hello(name: "host \(id)"),
            location: .found(.host)
        )
        return HostEntry(newcomer, in: .wholeHost, told: .normal)
    }

    @Test("when the table has become smaller, the remaining hosts are still found, and others can register")
    func hosts() throws {
        var table = HostTable()
        for id in 1...1_000 { table.add(entry(HostID(id))) }
        for id in 1...1_000 where id % 10 != 0 { table.remove(try #require(table.slot(of: HostID(id)))) }
        table.shrink()
        for id in 1_001...1_050 { table.add(entry(HostID(id))) }
        let ids = stride(from: 10, through: 1_000, by: 10).map { HostID($0) } + (1_001...1_050).map { HostID($0) }
        #expect(table.slots.map { table[$0].id } == ids)
        for id in ids { #expect(table[try #require(table.slot(of: id))].name == "host \(id)") }
        #expect(table.slot(of: 999) == nil)
    }

    @Test("when the table has become smaller, the remaining scopes are still found")
    func scopes() throws {
        var table = ScopeTable(SensorPolicy())
        let now = MonotonicInstant(nanoseconds: 1)
        let ids = (0..<250).map { index in
            table.open("/\(index)", .cgroup("/\(index)"), SensorPolicy(), level: .normal, at: now)
        }
        for id in ids.dropLast() { table.close(id) }
        let room = table.all.capacity
        table.shrink()
        #expect(table.all.capacity < room / 4)
        #expect(table.all.map(\.path) == ["/", "/249"])
        #expect(table.id(at: "/249") == ids.last && table.id(at: "/248") == nil)
    }

    @Test("checks of hosts that have left are removed, but no others")
    func checks() {
        var table = HostTable()
        var checks = LocationChecks()
        let now = MonotonicInstant(nanoseconds: 0)
        let leaving = table.add(entry(1))
        checks.begin(leaving, &table, at: now)
        table.remove(leaving)
        checks.shrink(table)
        #expect(checks.due == nil)
        checks.begin(table.add(entry(2)), &table, at: now)
        checks.shrink(table)
        #expect(checks.due == now.advanced(by: LocationChecks.soon))
    }
}
