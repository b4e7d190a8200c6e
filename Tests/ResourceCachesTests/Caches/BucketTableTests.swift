import CLinux
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

struct BucketTableTests {
    /// A table, and a dictionary with the same contents to compare it with.
    private final class Subject {
        let view: CacheView.Pointer
        private var store: EntryStore
        private var leaving = LeavingPages()
        private(set) var table: BucketTable
        private(set) var model: [UInt32: UInt32] = [:]

        init() {
            view = .bare(pairStride: 8)
            store = EntryStore(view)
            table = BucketTable(view)
        }

        deinit {
            table.deallocate()
            var leaving = leaving
            store.deallocate(&leaving)
            while !leaving.isEmpty { leaving.take().unmap() }
            view.endBare()
        }

        var bucketCount: UInt32 { BucketExtent(packed: view.pointee.extent.pointee.load(ordering: .relaxed)).count }

        @discardableResult
        func insert(_ hash: UInt32) -> UInt32 {
            let entry = store.allocate()
            view.pointee.header(of: entry).initialize(to: EntryHeader(hash: hash, cost: EntryCost(1)))
            #expect(view.pointee.tryWithBucket(of: hash) { table.add(entry, hash: hash, to: $0) })
            table.adapt()
            model[entry] = hash
            return entry
        }

        func remove(_ entry: UInt32) {
            #expect(view.pointee.tryWithBucket(of: model[entry] ?? 0) { table.remove(entry, from: $0) })
            table.adapt()
            store.free(entry, &leaving)
            model[entry] = nil
        }

        func adapt() {
            table.adapt()
        }

        func discardUnused() {
            while table.discardSome() {}
        }

        /// The entries that a reader finds for a hash.
        func find(_ hash: UInt32) -> Set<UInt32> {
            view.pointee.withBucket(of: hash) { bucket in
                var found: Set<UInt32> = []
                var line = bucket
                while true {
                    var matches = line.matches(Bucket.tag(of: hash))
                    while matches != 0 {
                        found.insert(line.entry(matches.trailingZeroBitCount))
                        matches &= matches - 1
                    }
                    if line.next == 0 { return found.filter { model[$0] == hash } }
                    line = view.pointee.overflow[line.next]
                }
            }
        }

        func check(_ hashes: some Sequence<UInt32>) -> Bool {
            table.count == model.count
                && hashes.allSatisfy { hash in find(hash) == Set(model.filter { $0.value == hash }.keys) }
        }
    }

    @Test("a table agrees with a dictionary of the same history, even with crowded or equal hashes")
    func againstDictionary() {
        for seed in 0..<40 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            // Half of the entries have one of two hashes, which lead to one bucket.
            let hashes = (0..<40 as Range<UInt32>).map { $0 % 2 == 0 ? ($0 % 4) << 20 : $0 &* 0x9E37_79B1 }
            let subject = Subject()
            for step in 0..<400 {
                let present = subject.model.keys.sorted()
                let grows = present.count < (seed % 2 == 0 ? 12 : 300)
                if Int.random(in: 0..<10, using: &generator) < 6, grows {
                    subject.insert(hashes.randomElement(using: &generator) ?? 0)
                } else if let entry = present.randomElement(using: &generator) {
                    subject.remove(entry)
                }
                guard subject.check(hashes) else {
                    Issue.record("seed \(seed), step \(step)")
                    return
                }
            }
        }
    }

    @Test("a table grows and shrinks by one bucket at a time, and all entries are found meanwhile")
    func adapting() {
        let subject = Subject()
        var generator = SeededGenerator(seed: 1)
        var entries: [UInt32] = []
        var counts: Set<Int> = []
        for _ in 0..<5000 {
            let before = subject.bucketCount
            entries.append(subject.insert(.random(in: .min ... .max, using: &generator)))
            counts.insert(Int(subject.bucketCount) - Int(before))
        }
        #expect((500...800).contains(subject.bucketCount), "about one for seven entries")
        #expect(subject.check(entries.prefix(300).compactMap { subject.model[$0] }))
        entries.shuffle(using: &generator)
        for entry in entries.dropFirst(300) {
            let before = subject.bucketCount
            subject.remove(entry)
            counts.insert(Int(subject.bucketCount) - Int(before))
        }
        #expect(subject.check(entries.prefix(300).compactMap { subject.model[$0] }))
        #expect(subject.bucketCount <= 151, "no fewer than two entries a bucket")
        #expect(counts == [-1, 0, 1])
        subject.discardUnused()
        #expect(subject.check(entries.prefix(300).compactMap { subject.model[$0] }))
        for _ in 0..<5000 { subject.insert(.random(in: .min ... .max, using: &generator)) }
        #expect(subject.check(entries.prefix(300).compactMap { subject.model[$0] }))
    }

    @Test("a table neither grows nor shrinks while one of the two affected buckets is locked, and catches up later")
    func busy() {
        let subject = Subject()
        for hash in 0..<UInt32(64 * 7) { subject.insert(hash) }
        #expect(subject.bucketCount == 64)
        lock_word_take(subject.view.pointee.buckets[0].lock)
        subject.insert(1 << 8 | 63)
        #expect(subject.bucketCount == 64)
        lock_word_free(subject.view.pointee.buckets[0].lock)
        subject.adapt()
        #expect(subject.bucketCount == 65)
    }

    @Test("a late reader keeps the lock of a merged bucket, even when the table gives memory back")
    func lateReader() {
        let subject = Subject()
        let hashes = 0..<UInt32(64 * 7 * 4)
        var entries = hashes.map { subject.insert($0) }
        let buckets = subject.view.pointee.buckets
        while entries.count > 64 { subject.remove(entries.removeLast()) }
        #expect(subject.bucketCount == 64)
        lock_word_take(buckets[200].lock)
        subject.discardUnused()
        #expect(!lock_word_try(buckets[200].lock), "the reader has it")
        #expect(buckets[199].lock.pointee == 0 && buckets[100].lock.pointee == 0, "no other lock stays taken")
        lock_word_free(buckets[200].lock)
        for hash in hashes.dropFirst(64) { subject.insert(hash) }
        #expect(subject.bucketCount > 200)
        #expect(subject.check(hashes))
    }

    @Test(
        "the matches of a tag contain every slot with the tag, and no free slot",
        arguments: [1, 2, 255] as [UInt8]
    )
    func matches(tag: UInt8) {
        let line = Bucket(Pages.map(4096))
        defer { Pages.unmap(line.line, 4096) }
        for count in 0...11 {
            #expect(line.matches(tag) == 1 << UInt32(count) - 1)
            if count < 11 { line.append(7, tag: tag) }
        }
        line.setNext(UInt32(tag) << 24 | UInt32(tag))
        #expect(line.matches(tag) == 0x7FF, "what follows the tags is none")
    }
}
