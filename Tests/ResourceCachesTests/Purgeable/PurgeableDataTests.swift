import CLinux
import ObjectCache
import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct PurgeableDataTests {
    let reclaimer = Reclaimer.current
    let trace = SharedTrace()

    /// Four pages whose bytes are all 7.
    private func data(recreate: (@Sendable (inout MutableRawSpan) -> Bool)? = nil) throws -> PurgeableData {
        let buffer = try CacheBuffer(count: 4 * CacheBuffer.pageSize) { $0.fill(with: 7) }
        let trace = trace
        return PurgeableData(
            buffer,
            recreate: recreate,
            faultHandler: { trace.record("fault:\($0)") }
        )
    }

    /// Makes the kernel reclaim the offered part of the second page.
    private func loseSecondPage(at address: UInt) {
        let page = UnsafeMutableRawPointer(bitPattern: address + UInt(CacheBuffer.pageSize))
        #expect(madvise(page, CacheBuffer.pageSize, MADV_PAGEOUT) == 0)
    }

    private func address(of data: PurgeableData) throws -> UInt {
        try #require(data.withBytes { $0.address })
    }

    @Test("data begins with one access, can be read until the last access ends, and again later (7.12)")
    func accessCount() throws {
        let data = try data()
        #expect(data.isContentBeingAccessed && !data.isContentDiscarded)
        #expect(data.withBytes { $0.only } == 7)
        #expect(data.beginContentAccess())
        data.endContentAccess()
        #expect(data.isContentBeingAccessed)
        #expect(data.withBytes { $0.only } == 7)
        data.endContentAccess()
        #expect(!data.isContentBeingAccessed && !data.isContentDiscarded)
        #expect(data.beginContentAccess())
        #expect(data.withBytes { $0.only } == 7)
        #expect(trace.take() == [])
    }

    @Test("data is discarded at count 0 only, and discarding twice has the effect of once (7.12, 7.13)")
    func discard() throws {
        let data = try data()
        data.discardContentIfPossible()
        #expect(!data.isContentDiscarded)
        data.endContentAccess()
        data.discardContentIfPossible()
        data.discardContentIfPossible()
        #expect(data.isContentDiscarded)
        #expect(!data.beginContentAccess())
        data.endContentAccess()
        #expect(trace.take() == ["fault:unbalancedContentAccess"], "a refused access counts nothing")
        #expect(data.count == 4 * CacheBuffer.pageSize)
    }

    @Test("reading and ending at count 0 are faults, and change nothing (7.14)")
    func faults() throws {
        let data = try data()
        data.endContentAccess()
        #expect(data.withBytes { $0.only } == nil)
        data.endContentAccess()
        #expect(trace.take() == ["fault:contentNotAccessed", "fault:unbalancedContentAccess"])
        #expect(data.beginContentAccess())
        #expect(data.withBytes { $0.only } == 7)
    }

    @Test("data with a reclaimed page is never returned (7.15)")
    func lostPage() throws {
        let data = try data()
        let address = try address(of: data)
        data.endContentAccess()
        loseSecondPage(at: address)
        #expect(!data.beginContentAccess())
        #expect(data.isContentDiscarded && !data.isContentBeingAccessed)
        #expect(!data.beginContentAccess())
        #expect(data.withBytes { $0.only } == nil)
    }

    @Test("the kernel reclaims no page during an access (7.15)")
    func inUse() throws {
        let data = try data()
        let address = try address(of: data)
        data.endContentAccess()
        #expect(data.beginContentAccess())
        loseSecondPage(at: address)
        #expect(data.withBytes { $0.only } == 7)
    }

    @Test("lost data is recreated when an access begins (7.12)")
    func recreated() throws {
        let trace = trace
        let data = try data { bytes in
            trace.record("recreate \(bytes.bytes.only ?? 1)")
            bytes.fill(with: 8)
            return true
        }
        #expect(data.beginContentAccess())
        data.endContentAccess()
        let address = try address(of: data)
        data.endContentAccess()
        loseSecondPage(at: address)
        #expect(data.beginContentAccess())
        #expect(trace.take() == ["recreate 0"])
        #expect(data.withBytes { $0.only } == 8)
        data.endContentAccess()
        #expect(!data.isContentBeingAccessed)
        data.discardContentIfPossible()
        #expect(data.beginContentAccess())
        #expect(trace.take() == ["recreate 0"])
    }

    @Test("an access to data that cannot be recreated at present is refused (7.12)")
    func notRecreated() throws {
        let data = try data { _ in false }
        data.endContentAccess()
        data.discardContentIfPossible()
        #expect(!data.beginContentAccess())
        #expect(data.isContentDiscarded && !data.isContentBeingAccessed)
    }

    @Test("if two accesses recreate the data at the same time, both use the bytes of the first to finish (7.12)")
    func recreatedTwice() throws {
        let slow = Locked<PurgeableData?>(nil)
        let makings = Counter()
        let data = try data { bytes in
            makings.increment()
            let making = makings.value
            // A second recreation overtakes the first one while it runs.
            if making == 1 { #expect(slow.withLock { $0 }?.beginContentAccess() == true) }
            bytes.fill(with: UInt8(making))
            return true
        }
        slow.withLock { $0 = data }
        data.endContentAccess()
        data.discardContentIfPossible()
        #expect(data.beginContentAccess())
        #expect(makings.value == 2)
        #expect(data.withBytes { $0.only } == 2)
        slow.withLock { $0 = nil }
        data.endContentAccess()
        #expect(data.isContentBeingAccessed, "both are counted")
        data.endContentAccess()
        #expect(!data.isContentBeingAccessed)
    }

    @Test("a read keeps the bytes until it ends, even if the access ends and the data is discarded meanwhile")
    func endWhileReading() throws {
        let data = try data()
        let read = data.withBytes { bytes in
            data.endContentAccess()
            data.discardContentIfPossible()
            #expect(data.isContentBeingAccessed && data.releasableCost == 0)
            return bytes.only
        }
        #expect(read == 7)
        #expect(!data.isContentBeingAccessed && !data.isContentDiscarded)
        #expect(data.releasableCost == 4 * CacheBuffer.pageSize)
    }

    @Test("an error of the reader is thrown, and the read has ended")
    func readerThrows() throws {
        struct Wrong: Error {}
        let data = try data()
        #expect(throws: Wrong.self) { try data.withBytes { _ throws(Wrong) in throw Wrong() } }
        data.endContentAccess()
        #expect(!data.isContentBeingAccessed)
    }

    @Test("the public initialisers provide the bytes, and pass errors on")
    func initialisers() throws {
        let bytes = [UInt8](repeating: 3, count: 5_000)
        let copy = try PurgeableData(copying: bytes.span.bytes)
        #expect(copy.withBytes { $0.array } == bytes)
        let written = try PurgeableData(count: 5_000) { $0.fill(with: 3) }
        #expect(written.withBytes { $0.array } == bytes)
        #expect(throws: CacheBufferError.self) { try PurgeableData(count: 1 << 60) { _ in } }
        // Once no access is left, warnings can discard them.
        copy.endContentAccess()
        written.endContentAccess()
        #expect(reclaimer.releasableBytes >= 4 * UInt64(CacheBuffer.pageSize))
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) >= 4 * UInt64(CacheBuffer.pageSize))
        #expect(copy.isContentDiscarded && written.isContentDiscarded)
    }

    @Test(
        "a warning discards unused data, and leaves the rest (7.15)",
        arguments: [PressureLevel.warning, .critical]
    )
    func warning(level: PressureLevel) throws {
        let used = try data()
        let idle = try data()
        idle.endContentAccess()
        let size = UInt64(4 * CacheBuffer.pageSize)
        #expect(reclaimer.releasableBytes == size)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .normal)) == 0)
        #expect(!idle.isContentDiscarded)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: level)) == size)
        #expect(idle.isContentDiscarded && !used.isContentDiscarded)
        #expect(reclaimer.releasableBytes == 0)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: level)) == 0)
    }

    @Test("reclaimed pages are neither offered nor claimed (7.15)")
    func taken() throws {
        let page = CacheBuffer.pageSize
        let data = try data()
        let address = try address(of: data)
        data.endContentAccess()
        #expect(data.releasableCost == 4 * page)
        // MADV_DONTNEED always drops the pages. MADV_PAGEOUT skips a page that is in another processor's batch.
        let second = UnsafeMutableRawPointer(bitPattern: address + UInt(page))
        #expect(madvise(second, 2 * page, MADV_DONTNEED) == 0)
        #expect(data.releasableCost == 2 * page)
        #expect(reclaimer.releasableBytes == UInt64(2 * page))
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == UInt64(2 * page))
        #expect(data.releasableCost == 0)
    }

    @Test("other responders give the bytes that data cannot give (7.15)")
    func takenElsewhere() throws {
        let data = try data()
        let address = try address(of: data)
        data.endContentAccess()
        let all = UnsafeMutableRawPointer(bitPattern: address)
        #expect(madvise(all, 4 * CacheBuffer.pageSize, MADV_DONTNEED) == 0)
        let cache = FakeResponder(bytes: 100_000)
        reclaimer.register(cache)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 9000)) == 9000)
        #expect(cache.releasableCost == 91_000)
    }

    @Test("the registration does not keep the data alive")
    func registration() throws {
        weak var weakly: PurgeableData?
        try {
            let data = try data()
            weakly = data
        }()
        #expect(weakly == nil)
    }

    @Test("a cache of discardable content holds the data, and misses once it is known to be lost (7.9, 7.11)")
    func inCache() throws {
        let cache = Cache<String, PurgeableData>()
        let (kept, lost) = (try data(), try data())
        cache.setObject(kept, forKey: "kept")
        cache.setObject(lost, forKey: "lost")
        let address = try address(of: lost)
        lost.endContentAccess()
        loseSecondPage(at: address)
        #expect(cache.object(forKey: "lost")?.beginContentAccess() == false)
        #expect(cache.object(forKey: "lost") == nil)
        #expect(cache.object(forKey: "kept") === kept)
        kept.endContentAccess()
        cache.removeObject(forKey: "kept")
        #expect(kept.isContentDiscarded)
    }
}
