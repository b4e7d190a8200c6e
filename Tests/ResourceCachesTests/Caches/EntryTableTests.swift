import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

struct EntryTableTests {
    /// A table, the same as a dictionary, and what is to be looked at in both.
    private final class Subject {
        let view: UnsafeMutablePointer<CacheView>
        private(set) var table: EntryTable
        private var retired: [UnsafeMutableRawPointer] = []
        private(set) var model: [UInt32: UInt32] = [:]

        init() {
            view = .bare(stride: 64)
            table = EntryTable(view)
        }

        deinit {
            for block in retired { block.deallocate() }
            table.deallocate()
            view.pointee.chunks.load(ordering: .relaxed).deallocate()
            view.deinitialize(count: 1)
            view.deallocate()
        }

        var capacity: Int { view.pointee.snapshot.capacity }
        var rebuilds: Int { retired.count }

        var words: [UInt64] {
            let snapshot = view.pointee.snapshot
            return (0..<snapshot.capacity).map { snapshot.word(at: $0) }
        }

        func insert(_ entry: UInt32, _ hash: UInt32) {
            retiring { table.insert(entry, hash: hash, retiring: &$0) }
            model[entry] = hash
        }

        func remove(_ entry: UInt32) {
            table.remove(entry, hash: model[entry] ?? 0)
            model[entry] = nil
        }

        func replace(_ entry: UInt32, by other: UInt32) {
            let hash = model.removeValue(forKey: entry) ?? 0
            table.replace(entry, hash: hash, by: other)
            model[other] = hash
        }

        func shrink() {
            retiring { table.shrink(retiring: &$0) }
        }

        func removeAll() {
            retiring { table.removeAll(retiring: &$0) }
            model = [:]
        }

        private func retiring(_ change: (inout EntryLimbo) -> Void) {
            var limbo = EntryLimbo()
            change(&limbo)
            retired += limbo.takeAll().blocks
        }

        /// What a reader finds for a hash.
        func find(_ hash: UInt32) -> Set<UInt32> {
            let snapshot = view.pointee.snapshot
            var found: Set<UInt32> = []
            var position = snapshot.home(of: hash)
            while snapshot.word(at: position) != 0 {
                if let entry = EntryTable.Snapshot.entry(in: snapshot.word(at: position), ifHash: hash) {
                    found.insert(entry)
                }
                position = snapshot.position(after: position)
            }
            return found
        }

        func check(_ hashes: some Sequence<UInt32>) -> Bool {
            guard table.count == model.count else { return false }
            for hash in hashes {
                guard find(hash) == Set(model.filter { $0.value == hash }.keys) else { return false }
            }
            let words = words
            // Else searches would walk over it for nothing.
            return !words.indices.contains { words[$0] == 1 && words[($0 + 1) % words.count] == 0 }
        }
    }

    @Test("a table finds what a dictionary of the same history has, and no removed word stands before a free one")
    func againstDictionary() {
        for seed in 0..<(isUnderThreadSanitizer ? 5 : 60) as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            // Half of them crowd around a few places and the table's end; the other half share hashes.
            let hashes = (0..<40 as Range<UInt32>).map { $0 % 2 == 0 ? .max - $0 % 8 : $0 &* 0x9E37_79B1 }
            let subject = Subject()
            var next: UInt32 = 2
            for step in 0..<300 {
                let present = subject.model.keys.sorted()
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<5 where present.count < (seed % 2 == 0 ? 12 : 200):
                    subject.insert(next, hashes.randomElement(using: &generator) ?? 0)
                    next += 1
                case 5:
                    guard let entry = present.randomElement(using: &generator) else { continue }
                    subject.replace(entry, by: next)
                    next += 1
                case 6 where step % 50 == 0:
                    subject.shrink()
                case 7 where step % 100 == 0:
                    subject.removeAll()
                default:
                    guard let entry = present.randomElement(using: &generator) else { continue }
                    subject.remove(entry)
                }
                guard subject.check(hashes) else {
                    Issue.record("seed \(seed), step \(step)")
                    return
                }
            }
            for entry in subject.model.keys.sorted() { subject.remove(entry) }
            #expect(subject.words.allSatisfy { $0 == 0 }, "seed \(seed)")
        }
    }

    @Test(
        "a table grows with its entries, shrinks when told and keeps them all, and does neither while few come and go"
    )
    func capacity() {
        let subject = Subject()
        let hash = { (entry: UInt32) in entry &* 0x9E37_79B1 }
        for entry in 2..<2002 as Range<UInt32> { subject.insert(entry, hash(entry)) }
        #expect((2000...6000).contains(subject.capacity))
        for entry in 2..<1990 as Range<UInt32> { subject.remove(entry) }
        subject.shrink()
        #expect(subject.capacity < 100)
        #expect(subject.check((2..<2002 as Range<UInt32>).map(hash)))
        let rebuilds = subject.rebuilds
        for entry in 3000..<13_000 as Range<UInt32> {
            subject.insert(entry, hash(entry))
            subject.remove(entry)
        }
        subject.shrink()
        #expect(subject.capacity < 100)
        #expect(subject.rebuilds - rebuilds < 2000, "a table full of removed words is cleaned, not each time")
        #expect(subject.check((1990..<2002 as Range<UInt32>).map(hash)))
        subject.removeAll()
        #expect(subject.capacity == 16)
        #expect(subject.check((1990..<2002 as Range<UInt32>).map(hash)))
    }
}
