import CLinux
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct PurgeableConcurrencyTests {
    private static let pageCount = 16
    private static let rounds = 3_000

    /// Counted, since the threads that the test starts belong to no test and cannot report to it.
    private let faults = Counter()

    private func data(recreate: (@Sendable (inout MutableRawSpan) -> Bool)?) throws -> PurgeableData {
        let faults = faults
        return PurgeableData(
            try CacheBuffer(count: Self.pageCount * CacheBuffer.pageSize, filling: { $0.fill(with: 7) }),
            recreate: recreate,
            faultHandler: { _ in faults.increment() }
        )
    }

    @Test(
        "several threads that begin, read, end and discard see all bytes or none (7.12, 7.15)",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer does not see a contended Mutex change hands")
    )
    func threads() throws {
        let data = try data { bytes in
            bytes.fill(with: 7)
            return true
        }
        data.endContentAccess()
        let reads = Counter()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<Self.rounds {
                if (round + thread) % 7 == 0 { data.discardContentIfPossible() }
                guard data.beginContentAccess() else { continue }
                if data.withBytes({ $0.only }) == 7 { reads.increment() }
                data.endContentAccess()
            }
        }
        #expect(reads.value == 4 * Self.rounds)
        #expect(!data.isContentBeingAccessed)
        #expect(faults.value == 0)
    }

    @Test("whenever the kernel reclaims pages, an access that begins sees all bytes (7.15)")
    func reclaimAtAnyTime() throws {
        let isDone = Atomic(false)
        let chances = 200
        // The address of the pages, which may be unmapped already. This advice is harmless to any memory there.
        let address = Atomic<UInt>(0)
        let (intact, lost, torn) = (Counter(), Counter(), Counter())
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
            for _ in 0..<100_000 where intact.value < chances || lost.value < chances {
                guard let data = try? data(recreate: nil) else { return }
                repeat {
                    if data.withBytes({ $0.only }) != 7 { torn.increment() }
                    let start = data.withBytes { $0.address }
                    address.store(start ?? 0, ordering: .relaxed)
                    data.endContentAccess()
                    intact.increment()
                } while data.beginContentAccess()
                lost.increment()
            }
        }
        #expect(torn.value == 0, "bytes that were lost were handed out")
        #expect(intact.value >= chances && lost.value >= chances, "the kernel had its chances")
    }
}
