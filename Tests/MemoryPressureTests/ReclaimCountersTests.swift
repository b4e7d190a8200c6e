import CLinux
import MemoryPressure
import TestSupport
import Testing

struct ReclaimCountersTests {
    private func parse(_ text: String) -> ReclaimCounters? {
        var text = text
        return text.withUTF8 { ReclaimCounters(parsing: UnsafeRawBufferPointer($0)) }
    }

    @Test(
        "a count is read as a total, or as the sum of its parts if there is no total",
        arguments: [
            ("pgscan 10\npgscan_kswapd 3\npgscan_direct 4\nworkingset_refault 20\n", 10, 20),
            ("pgscan_kswapd 3\npgscan_direct 4\nworkingset_refault_anon 5\nworkingset_refault_file 6\n", 7, 11),
            ("anon 1\npgscan_direct 4\n", 4, 0),
            ("workingset_refault_file 6\npgsteal 9\npgscan_directly 4\n", 0, 6),
            // The last number is cut off.
            ("workingset_refault_file 6\npgscan 123", 0, 6),
        ] as [(String, UInt64, UInt64)]
    )
    func figures(text: String, scanned: UInt64, refaulted: UInt64) {
        #expect(parse(text) == ReclaimCounters(scanned: scanned, refaulted: refaulted))
    }

    @Test(arguments: ["", "anon 1\n", "pgscan x\nworkingset_refault\n", "pgscan"])
    func isNilWithoutEither(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(
        "a rise of either count shows reclaim; a fall does not",
        arguments: [
            (0, 0, false), (1, 0, true), (0, 1, true), (1, -1, true), (-1, -1, false), (-1, 0, false),
        ] as [(Int, Int, Bool)]
    )
    func growth(scanned: Int, refaulted: Int, shows: Bool) {
        let earlier = ReclaimCounters(scanned: 5, refaulted: 5)
        let later = ReclaimCounters(scanned: UInt64(5 + scanned), refaulted: UInt64(5 + refaulted))
        #expect(later.shows(since: earlier) == shows)
    }

    @Test("a cgroup's own counts, and the host's counts for a cgroup without the memory controller")
    func sources() throws {
        let kernel = try FakeKernel([
            "/proc/vmstat": "pgscan_kswapd 1\npgscan_direct 2\nworkingset_refault_file 3\n",
            "/a/memory.stat": "workingset_refault_file 4\npgscan 5\n",
            "/c/memory.stat": "what\n",
        ])
        func read(_ name: String) throws -> ReclaimCounters {
            try .read(of: Cgroup(path: name, directory: kernel.path(name)), in: kernel.tree)
        }
        #expect(try read("/a") == ReclaimCounters(scanned: 5, refaulted: 4))
        #expect(try read("/b") == ReclaimCounters(scanned: 3, refaulted: 3))
        #expect(try ReclaimCounters.read(of: nil, in: kernel.tree) == ReclaimCounters(scanned: 3, refaulted: 3))
        let error = #expect(throws: KernelError.self) { try read("/c") }
        #expect(error == KernelError("understand", kernel.path("/c/memory.stat"), errno: EBADMSG))
    }

    @Test func readsTheRealFile() throws {
        let first = try ReclaimCounters.read(of: nil)
        let text = try KernelFile.text(of: KernelTree.live.vmstat)
        let second = try ReclaimCounters.read(of: nil)
        var scanned: UInt64 = 0
        for line in text.split(separator: "\n")
        where ["pgscan_kswapd", "pgscan_direct"].contains(line.prefix { $0 != " " }) {
            scanned += try #require(UInt64(line.drop { $0 != " " }.dropFirst()))
        }
        #expect((first.scanned...second.scanned).contains(scanned))
        #expect(second.refaulted >= first.refaulted)
    }
}
