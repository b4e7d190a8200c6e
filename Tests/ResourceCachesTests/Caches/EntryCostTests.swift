import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct EntryCostTests {
    @Test("a cost is exact below 2 GiB", arguments: [0, 1, 4095, 4096, 1 << 30, (1 << 31) - 1])
    func exact(bytes: Int) {
        #expect(EntryCost(bytes).bytes == bytes)
    }

    @Test("a cost of 2 GiB or more is rounded up to whole pages")
    func pages() {
        #expect(EntryCost(1 << 31).bytes == 1 << 31)
        #expect(EntryCost((1 << 31) + 1).bytes == (1 << 31) + 4096)
        #expect(EntryCost((1 << 31) + 4096).bytes == (1 << 31) + 4096)
        #expect(EntryCost(EntryCost.largest).bytes == EntryCost.largest)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let bytes = Int.random(in: 1 << 31...EntryCost.largest, using: &generator)
            #expect((0..<4096).contains(EntryCost(bytes).bytes - bytes))
        }
    }

    @Test("a cost above the largest number counts as the largest", arguments: [8 << 40, Int.max])
    func tooDear(bytes: Int) {
        #expect(EntryCost(bytes).bytes == EntryCost.largest)
    }

    @Test("a negative cost traps")
    func negative() async {
        await #expect(processExitsWith: .failure) { ResourceCache<Int, Int>("K").insert(1, for: 1, cost: -1) }
    }

    @Test("the sum of what left at warnings does not overflow")
    func leftAtWarnings() {
        var figures = CacheFigures()
        for _ in 0..<2 { figures.count(.pressure, .max) }
        #expect(figures.pressureCost == .max)
    }

    @Test("equal keys have equal hashes, and different keys rarely have equal hashes")
    func hashes() {
        let names = ResourceCache<String, Int>("K")
        #expect(names.hash(of: "key") == names.hash(of: String("yek".reversed())))
        #expect(Set((0..<10_000).map { names.hash(of: "\($0)") }).count > 9990)
        let numbers = ResourceCache<Int, Int>("K")
        for stride in [1, 8, 4096, 1 << 32] {
            let hashes = (0..<10_000).map { numbers.hash(of: $0 * stride) }
            #expect(Set(hashes).count > 9990)
            // The high bits determine where the table begins its search.
            #expect(Set(hashes.map { $0 >> 24 }).count == 256)
        }
    }
}
