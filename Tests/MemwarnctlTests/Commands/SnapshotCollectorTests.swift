import MemwarnProgram
import MemwarnProtocol
import Testing

@testable import memwarnctl

/// The daemon may be another program, or broken.
struct SnapshotCollectorTests {
    @Test("a page that does not continue after the previous one is an error", arguments: [[5, 5], [5, 4], [1, 1]])
    func standing(next: [UInt64]) throws {
        var collector = SnapshotCollector([.hosts])
        #expect(try collector.take(.end(End(next: next[0]))))
        #expect(collector.query?.after == next[0])
        #expect(throws: Failure.self) { _ = try collector.take(.end(End(next: next[1]))) }
    }

    @Test("a list without an end is an error")
    func endless() throws {
        var collector = SnapshotCollector([.hosts])
        for page in 1...SnapshotCollector.mostPages {
            #expect(try collector.take(.end(End(next: UInt64(page)))))
        }
        let next = UInt64(SnapshotCollector.mostPages + 1)
        #expect(throws: Failure.self) { _ = try collector.take(.end(End(next: next))) }
    }

    @Test("a page without an end is an error, before its records fill the memory")
    func endlessPage() throws {
        var collector = SnapshotCollector([.hosts])
        for page in 1...3 {
            // The limit applies to each page.
            for _ in 1..<SnapshotCollector.mostMessages { #expect(try !collector.take(.counters(CountersRecord()))) }
            if page < 3 { #expect(try collector.take(.end(End(next: UInt64(page))))) }
        }
        #expect(try !collector.take(.counters(CountersRecord())))
        #expect(throws: Failure.self) { _ = try collector.take(.counters(CountersRecord())) }
    }
}
