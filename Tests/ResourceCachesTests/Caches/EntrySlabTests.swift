import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

struct EntrySlabTests {
    private final class Subject {
        private let view: UnsafeMutablePointer<CacheView>
        private(set) var slab: EntrySlab
        private(set) var live: Set<UInt32> = []
        private(set) var retired: [UnsafeMutableRawPointer] = []

        init(stride: Int) {
            view = .bare(stride: stride)
            slab = EntrySlab(view)
        }

        deinit {
            for block in retired { block.deallocate() }
            slab.deallocate()
            view.pointee.table.load(ordering: .relaxed).deallocate()
            view.deinitialize(count: 1)
            view.deallocate()
        }

        var perChunk: Int { view.pointee.layout.entriesPerChunk }

        /// A new number, which is written into its entry.
        @discardableResult
        func allocate() -> UInt32 {
            var limbo = EntryLimbo()
            let entry = slab.allocate(retiring: &limbo)
            retired += limbo.takeAll().blocks
            #expect(entry >= EntrySlab.first)
            #expect(live.insert(entry).inserted, "\(entry) is in use already")
            view.pointee.header(of: entry).initialize(to: EntryHeader(cost: Int(entry), isTimed: true))
            let times = EntryTimes(expires: UInt64(entry), growsStale: 0, idleLimit: 0, now: 0)
            view.pointee.times(of: entry).initialize(to: times)
            return entry
        }

        func free(_ entry: UInt32) {
            #expect(view.pointee.header(of: entry).pointee.bytes == entry)
            #expect(view.pointee.times(of: entry).pointee.expires == entry)
            slab.free(entry)
            live.remove(entry)
        }

        /// The numbers that a walk over the whole slab comes to.
        func walk() -> [UInt32] {
            var (next, seen) = (EntrySlab.first, [UInt32]())
            while let entry = slab.entry(from: &next) { seen.append(entry) }
            #expect(next == EntrySlab.first, "the next walk begins anew")
            return seen
        }
    }

    @Test(
        "numbers are in use once at a time, entries keep what is in them, and a walk comes to each",
        arguments: [48, 4096]
    )
    func random(stride: Int) {
        for seed in 0..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let subject = Subject(stride: stride)
            var entries: [UInt32] = []
            for step in 0..<2_000 {
                // Grows and shrinks by turns.
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
            #expect(seen.count < subject.slab.reach)
            for entry in entries { subject.free(entry) }
        }
    }

    @Test("what is free is used again before there is more memory")
    func reuse() {
        let subject = Subject(stride: 4096)
        let first = (0..<100).map { _ in subject.allocate() }
        for entry in first { subject.free(entry) }
        for _ in 0..<100 { subject.allocate() }
        let chunk = { (entry: UInt32?) in Int(entry ?? 0) / subject.perChunk }
        #expect(chunk(subject.live.max()) == chunk(first.max()))
        for entry in subject.live { subject.free(entry) }
    }

    @Test("a chunk goes back when its last entry is freed, but for the first one and one more")
    func givingBack() {
        let subject = Subject(stride: 4096)
        let entries = (0..<subject.perChunk * 40 - 2).map { _ in subject.allocate() }
        #expect(subject.retired.count == 3, "8, 16 and 32 chunks outgrow their directories")
        #expect(subject.slab.reach == 1 + subject.perChunk * 40)
        for entry in entries where Int(entry) % subject.perChunk != 5 { subject.free(entry) }
        #expect(subject.slab.reach == 1 + subject.perChunk * 40)
        for entry in entries where Int(entry) % subject.perChunk == 5 { subject.free(entry) }
        #expect(subject.slab.reach == 1 + subject.perChunk * 2)
        #expect(subject.walk().count == subject.perChunk * 2 - 2)
        let again = (0..<entries.count).map { _ in subject.allocate() }
        #expect(again.max() == entries.max())
        for entry in again { subject.free(entry) }
    }

    @Test("large entries and small ones lie apart from each other", arguments: [16, 24, 72, 1 << 17])
    func layout(stride: Int) {
        let layout = EntryLayout(stride: stride)
        #expect(layout.entriesPerChunk >= 16)
        #expect(layout.mask + 1 == UInt32(layout.entriesPerChunk))
        #expect(layout.timesOffset >= stride * layout.entriesPerChunk)
        #expect(layout.timesOffset % MemoryLayout<EntryTimes>.alignment == 0)
    }
}
