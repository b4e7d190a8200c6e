import TestSupport
import Testing

@testable import ResourceCaches

struct EntryStoreTests {
    private final class Subject {
        let view: CacheView.Pointer
        private(set) var store: EntryStore
        private var leaving = LeavingPages()
        private(set) var live: Set<UInt32> = []

        init(pairStride: Int) {
            view = .bare(pairStride: pairStride)
            store = EntryStore(view)
        }

        deinit {
            var leaving = leaving
            store.deallocate(&leaving)
            while !leaving.isEmpty { leaving.take().unmap() }
            view.endBare()
        }

        var perChunk: Int { view.pointee.layout.entriesPerChunk }

        /// Returns a new number, which is also written into its entry.
        @discardableResult
        func allocate() -> UInt32 {
            let entry = store.allocate()
            #expect(entry >= EntryStore.first)
            #expect(live.insert(entry).inserted, "\(entry) is in use already")
            let header = view.pointee.header(of: entry)
            header.initialize(to: EntryHeader(hash: entry, cost: EntryCost(Int(entry))))
            header.pointee.marks = .isListed
            store.makeTimes(for: entry)
            let times = EntryTimes(expires: UInt64(entry), growsStale: 0, idleLimit: 0, now: 0)
            view.pointee.times(of: entry).initialize(to: times)
            return entry
        }

        func free(_ entry: UInt32) {
            #expect(view.pointee.bytes(of: entry) == entry)
            #expect(view.pointee.times(of: entry).pointee.expires == entry)
            store.free(entry, &leaving)
            live.remove(entry)
        }

        func releaseSpare() {
            store.releaseSpare(&leaving)
        }

        /// The numbers of the entries that a walk over the whole store visits.
        func walk() -> [UInt32] {
            var (next, seen) = (EntryStore.first, [UInt32]())
            while let entry = store.entry(from: &next) { seen.append(entry) }
            #expect(next == EntryStore.first, "the next walk begins with the first entry")
            return seen
        }

        /// Moves all entries out of sparse chunks, as a cache does.
        func moveTogether() {
            for _ in 0..<store.chunkCount {
                guard let number = store.closeSparsest(&leaving) else { return }
                var offset = 0
                while let entry = store.liveEntry(in: number, from: &offset, where: { live.contains($0) }) {
                    free(entry)
                    allocate()
                }
                store.reopen(number, &leaving)
            }
        }
    }

    @Test(
        "a number is in use once at a time, entries keep their contents, and a walk visits each entry",
        arguments: [16, 4096]
    )
    func random(pairStride: Int) {
        for seed in 0..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let subject = Subject(pairStride: pairStride)
            var entries: [UInt32] = []
            for step in 0..<2_000 {
                // The store grows and shrinks by turns.
                if Int.random(in: 0..<10, using: &generator) < (step / 500 % 2 == 0 ? 8 : 2) || entries.isEmpty {
                    entries.append(subject.allocate())
                } else {
                    entries.swapAt(Int.random(in: entries.indices, using: &generator), entries.count - 1)
                    subject.free(entries.removeLast())
                }
            }
            let seen = subject.walk()
            #expect(Set(seen).count == seen.count)
            #expect(subject.live.isSubset(of: seen))
            #expect(seen.count < subject.store.reach)
            for entry in entries { subject.free(entry) }
        }
    }

    @Test("free entries are reused before more memory is mapped")
    func reuse() {
        let subject = Subject(pairStride: 4096)
        let first = (0..<100).map { _ in subject.allocate() }
        for entry in first { subject.free(entry) }
        for _ in 0..<100 { subject.allocate() }
        let chunk = { (entry: UInt32?) in Int(entry ?? 0) / subject.perChunk }
        #expect(chunk(subject.live.max()) == chunk(first.max()))
    }

    @Test("a chunk is unmapped when its last entry is freed, except for one chunk")
    func givingBack() {
        let subject = Subject(pairStride: 4096)
        let entries = (0..<subject.perChunk * 40 - 1).map { _ in subject.allocate() }
        #expect(subject.store.chunkCount == 40)
        for entry in entries { subject.free(entry) }
        // The store keeps the number that was freed first for the next entry.
        #expect(subject.store.chunkCount <= 2)
        #expect(subject.store.returnedBytes >= 38 * subject.perChunk * 4096)
        let again = (0..<entries.count).map { _ in subject.allocate() }
        #expect(again.max() == entries.max())
    }

    @Test("the last empty chunk is unmapped on request, and entries are allocated again afterwards")
    func givingBackAll() {
        let subject = Subject(pairStride: 4096)
        subject.releaseSpare()
        let entries = (0..<subject.perChunk * 3).map { _ in subject.allocate() }
        subject.releaseSpare()
        #expect(subject.store.chunkCount == 4, "no chunk is empty")
        for entry in entries { subject.free(entry) }
        subject.releaseSpare()
        #expect(subject.store.chunkCount == 0)
        #expect(subject.store.returnedBytes >= entries.count * 4096)
        for _ in entries { subject.allocate() }
        #expect(subject.store.chunkCount == 4, "the numbers of former chunks are used again")
    }

    @Test("a few entries scattered over many chunks are moved into a few chunks, and the other chunks are unmapped")
    func movingTogether() {
        let subject = Subject(pairStride: 512)
        let entries = (0..<subject.perChunk * 40 - 1).map { _ in subject.allocate() }
        for entry in entries where entry % 10 != 3 { subject.free(entry) }
        #expect(subject.store.chunkCount == 40)
        let before = subject.store.returnedBytes
        subject.moveTogether()
        #expect(subject.live.count == entries.count(where: { $0 % 10 == 3 }))
        #expect(subject.store.chunkCount <= 6)
        #expect(subject.store.returnedBytes - before >= 34 * subject.perChunk * 512)
        #expect(subject.live.isSubset(of: subject.walk()))
        for _ in 0..<subject.perChunk { subject.allocate() }
    }

    @Test("the parts of entries do not overlap", arguments: [8, 16, 72, 1 << 17])
    func layout(pairStride: Int) {
        let layout = EntryLayout(pairStride: pairStride)
        #expect(layout.entriesPerChunk >= 16)
        #expect(layout.mask + 1 == UInt32(layout.entriesPerChunk))
        #expect(layout.headersOffset >= 3 * layout.entriesPerChunk, "a byte of uses and 2 reserved bytes an entry")
        #expect(layout.headersOffset % MemoryLayout<EntryHeader>.alignment == 0)
        #expect(layout.pairsOffset >= layout.headersOffset + layout.entriesPerChunk * MemoryLayout<EntryHeader>.stride)
        #expect(layout.pairsOffset % 64 == 0)
        #expect(layout.chunkBytes >= layout.pairsOffset + layout.entriesPerChunk * pairStride)
        #expect(MemoryLayout<EntryHeader>.stride == 20)
    }
}
