import MemoryPressure
import Systemd
import Testing

@testable import memwarnd

struct HostRegistryTests {
    static func hosts(_ ids: [UInt64]) throws -> [FakeHost] {
        let scope = Scope.unwatched("/", on: try EventLoop())
        return ids.map { FakeHost(id: $0, in: scope) }
    }

    @Test func idsRiseFromOneAndAreNotUsedAgain() {
        var registry = HostRegistry()
        #expect((0..<3).map { _ in registry.makeID() } == [1, 2, 3])
    }

    @Test(
        "a page begins after an id, whether or not that host is still there",
        arguments: [
            (0, 2, [2, 3]), (2, 2, [3, 5]), (4, 9, [5, 8]), (1, 0, []), (8, 3, []), (UInt64.max, 3, []),
        ] as [(UInt64, Int, [UInt64])]
    )
    func page(after id: UInt64, limit: Int, expected: [UInt64]) throws {
        let fakes = try Self.hosts([2, 3, 5, 8])
        var registry = HostRegistry()
        for fake in fakes { registry.add(fake.host) }
        #expect(registry.page(after: id, limit: limit).map(\.id) == expected)
    }

    @Test func removesOneHostAndLeavesTheOthersInOrder() throws {
        let fakes = try Self.hosts([1, 2, 3, 4])
        var registry = HostRegistry()
        for fake in fakes { registry.add(fake.host) }
        registry.remove(fakes[1].host)
        registry.remove(fakes[1].host)
        #expect(registry.all.map(\.id) == [1, 3, 4])
        registry.remove(fakes[3].host)
        registry.remove(fakes[0].host)
        registry.remove(fakes[2].host)
        #expect(registry.all.isEmpty)
    }

    @Test("a host that moves in late stands where its id says, and can be found")
    func insertion() throws {
        let fakes = try Self.hosts([1, 2, 3, 4])
        var list: [Host] = []
        for index in [2, 0, 3, 1] { list.insertHost(fakes[index].host) }
        #expect(list.map(\.id) == [1, 2, 3, 4])
        for fake in fakes { list.removeHost(fake.host) }
        #expect(list.isEmpty)
    }

    @Test("another host with the same id is not taken for it")
    func identity() throws {
        let one = try Self.hosts([1])
        let other = try Self.hosts([1])
        var list: [Host] = [one[0].host]
        list.removeHost(other[0].host)
        #expect(list.count == 1)
    }
}
