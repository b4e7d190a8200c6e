import CLinux
import TestSupport
import Testing

@testable import ResourceCaches

struct GhostFilterTests {
    /// A filter, and the memory that it no longer needs.
    private final class Subject {
        private var filter = GhostFilter()
        private var leaving = LeavingPages()

        deinit {
            var (filter, leaving) = (filter, leaving)
            filter.forgetAll(&leaving)
            while !leaving.isEmpty { leaving.take().unmap() }
        }

        func contains(_ hash: UInt32) -> Bool { filter.contains(hash) }
        func insert(_ hash: UInt32, entries: Int) { filter.insert(hash, entries: entries, &leaving) }
        func remove(_ hash: UInt32) -> Bool { filter.remove(hash) }
        func shrink(entries: Int) { filter.shrink(entries: entries, &leaving) }
        func forgetAll() { filter.forgetAll(&leaving) }
    }

    private func hashes(_ count: Int, seed: UInt64 = 1) -> [UInt32] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
    }

    @Test("an evicted entry is remembered until it returns")
    func known() {
        let filter = Subject()
        #expect(!filter.contains(7))
        filter.insert(7, entries: 1)
        #expect(filter.contains(7))
        let returns = [filter.remove(7), filter.contains(7), filter.remove(7)]
        #expect(returns == [true, false, false])
    }

    @Test("a filter for which there is no memory stays as it is")
    func noMemory() async {
        // A process of its own, which gets no memory from here on.
        await #expect(processExitsWith: .success) {
            let filter = Subject()
            filter.insert(7, entries: 1)
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(CInt(RLIMIT_AS.rawValue), &none) == 0 else { exit(1) }
            filter.insert(8, entries: 1_000_000)
            filter.shrink(entries: 0)
            exit(filter.contains(7) && filter.contains(8) ? 0 : 2)
        }
    }

    @Test("the hash 0 is like any other")
    func zero() {
        let filter = Subject()
        let before = filter.remove(0)
        filter.insert(0, entries: 8)
        let returns = [before, filter.remove(0), filter.remove(0)]
        #expect(returns == [false, true, false])
    }

    @Test("the filter remembers about one and a half times as many entries as the cache holds, the latest ones")
    func capacity() {
        let filter = Subject()
        let hashes = hashes(10_000)
        for hash in hashes { filter.insert(hash, entries: 1000) }
        #expect((1400...1504).contains(hashes.filter { filter.contains($0) }.count))
        #expect(hashes.suffix(500).filter { filter.contains($0) }.count > 480)
        #expect(!hashes.prefix(5000).contains { filter.contains($0) })
    }

    @Test("a filter grows with the cache without forgetting anything")
    func growth() {
        let filter = Subject()
        let hashes = hashes(1000)
        for (index, hash) in hashes.enumerated() { filter.insert(hash, entries: index + 1) }
        #expect(hashes.suffix(300).filter { filter.contains($0) }.count > 290)
        filter.forgetAll()
        #expect(!hashes.contains { filter.contains($0) })
    }

    @Test("a filter that is far too large is replaced, and its contents are forgotten after as many evictions")
    func shrinking() {
        let filter = Subject()
        let hashes = hashes(40_000)
        for hash in hashes.prefix(10_000) { filter.insert(hash, entries: 10_000) }
        filter.shrink(entries: 100)
        #expect(hashes.prefix(10_000).suffix(5_000).filter { filter.contains($0) }.count > 4_800)
        for hash in hashes.suffix(30_000) { filter.insert(hash, entries: 100) }
        #expect((100...160).contains(hashes.filter { filter.contains($0) }.count))
    }
}
