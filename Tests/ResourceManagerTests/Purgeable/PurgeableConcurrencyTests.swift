import Dispatch
import Glibc
import Synchronization
import Testing

@testable import ResourceManager

struct PurgeableConcurrencyTests {
    private static let pageCount = 16
    private static let rounds = isUnderThreadSanitizer ? 300 : 3_000

    private static func data(recreate: (@Sendable (inout MutableRawSpan) -> Bool)?) throws -> PurgeableData {
        PurgeableData(
            try CacheBuffer(count: pageCount * CacheBuffer.pageSize, filling: { $0.fill(with: 7) }),
            recreate: recreate,
            faultHandler: { Issue.record("\($0)") },
            reclaimer: Reclaimer()
        )
    }

    @Test("several threads that begin, read, end and discard see all bytes or none (7.12, 7.15)")
    func threads() throws {
        let data = try Self.data { bytes in
            bytes.fill(with: 7)
            return true
        }
        data.endContentAccess()
        let reads = Counter()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<Self.rounds {
                if (round + thread) % 7 == 0 { data.discardContentIfPossible() }
                guard data.beginContentAccess() else {
                    Issue.record("it can be made again")
                    continue
                }
                if data.withBytes({ $0.only }) == 7 { reads.increment() }
                data.endContentAccess()
            }
        }
        #expect(reads.value == 4 * Self.rounds)
        #expect(!data.isContentBeingAccessed)
    }

    @Test("whenever the kernel takes pages, those who are let in see all bytes (7.15)")
    func reclaimAtAnyTime() throws {
        let isDone = Atomic(false)
        // Where the pages are or were: whatever is there, this advice does no harm.
        let address = Atomic<UInt>(0)
        let (intact, lost) = (Counter(), Counter())
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                var page = 0
                while !isDone.load(ordering: .acquiring) {
                    page = (page + 1) % Self.pageCount
                    let start = address.load(ordering: .relaxed) + UInt(page * CacheBuffer.pageSize)
                    madvise(UnsafeMutableRawPointer(bitPattern: start), CacheBuffer.pageSize, MADV_PAGEOUT)
                }
                return
            }
            defer { isDone.store(true, ordering: .releasing) }
            for _ in 0..<100_000 where intact.value < Self.rounds || lost.value < Self.rounds {
                guard let data = try? Self.data(recreate: nil) else {
                    Issue.record("there is memory")
                    return
                }
                repeat {
                    #expect(data.withBytes { $0.only } == 7, "bytes that were lost were handed out")
                    let start = data.withBytes { $0.address }
                    address.store(start ?? 0, ordering: .relaxed)
                    data.endContentAccess()
                    intact.increment()
                } while data.beginContentAccess()
                lost.increment()
            }
        }
        #expect(intact.value >= Self.rounds && lost.value >= Self.rounds, "the kernel had its chances")
    }
}
