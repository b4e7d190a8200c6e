import CLinux
import TestSupport
import Testing

@testable import ResourceCaches

/// Buffers of five pages, which lose single pages while they are volatile.
struct PageLossTests {
    /// The first word of a page.
    ///
    /// It is replaced to detect whether the page is lost.
    enum Filling: CaseIterable {
        case noise
        case zeroes
        /// The value that replaces zero.
        case canary
        /// Each of the above by turns.
        case mixed

        func word(ofPage page: Int) -> UInt {
            switch self {
            case .noise: 0x1234_5678 + UInt(page)
            case .zeroes: 0
            case .canary: CacheBuffer.canary
            case .mixed: [Filling.noise, .zeroes, .canary][page % 3].word(ofPage: page)
            }
        }
    }

    static let pageCount = 5

    static func buffer(_ filling: Filling) throws -> CacheBuffer {
        // The last page is not full.
        try CacheBuffer(count: pageCount * CacheBuffer.pageSize - 100) { bytes in
            for offset in 0..<bytes.byteCount {
                bytes.storeBytes(of: UInt8(offset % 251), toByteOffset: offset, as: UInt8.self)
            }
            for page in 0..<pageCount {
                bytes.storeBytes(
                    of: filling.word(ofPage: page),
                    toByteOffset: page * CacheBuffer.pageSize,
                    as: UInt.self
                )
            }
        }
    }

    private func bytes(_ buffer: CacheBuffer) -> [UInt8] {
        buffer.withBytes { $0.array }
    }

    /// Advises the kernel on one page, or on all pages.
    private func advise(_ advice: CInt, _ page: Int? = nil, of buffer: CacheBuffer) throws {
        let size = CacheBuffer.pageSize
        let (first, count) = page.map { ($0, size) } ?? (0, buffer.allocatedCount)
        let start = UnsafeMutableRawPointer(bitPattern: buffer.address + UInt(first * size))
        try #require(madvise(start, count, advice) == 0, "\(String(cString: strerror(errno)))")
    }

    /// Whether a page is resident at present.
    private func isThere(_ page: Int, of buffer: CacheBuffer) throws -> Bool {
        let size = CacheBuffer.pageSize
        let start = UnsafeMutableRawPointer(bitPattern: buffer.address + UInt(page * size))
        var state: UInt8 = 0
        try #require(mincore(start, size, &state) == 0, "\(String(cString: strerror(errno)))")
        return state & 1 == 1
    }

    @Test("pages that were offered and not reclaimed are unchanged, repeatedly (7.15)", arguments: Filling.allCases)
    func intact(_ filling: Filling) throws {
        let buffer = try Self.buffer(filling)
        let before = bytes(buffer)
        for _ in 0..<3 {
            #expect(buffer.makeNonVolatile(buffer.makeVolatile()))
            #expect(bytes(buffer) == before)
        }
    }

    @Test(
        "a single lost page is detected, at any place and with any contents (7.15)",
        arguments: 0..<pageCount,
        Filling.allCases
    )
    func singlePage(_ page: Int, _ filling: Filling) throws {
        let buffer = try Self.buffer(filling)
        let canaries = buffer.makeVolatile()
        try advise(MADV_DONTNEED, page, of: buffer)
        #expect(!buffer.makeNonVolatile(canaries))
    }

    /// `MADV_PAGEOUT` makes the kernel reclaim these pages immediately, by its usual code.
    @Test("a single page that the kernel reclaims is detected (7.15)", arguments: 0..<pageCount, Filling.allCases)
    func reclaimedPage(_ page: Int, _ filling: Filling) throws {
        let buffer = try Self.buffer(filling)
        let canaries = buffer.makeVolatile()
        // The kernel skips a page that is in another processor's batch at the moment.
        for _ in 0..<100 where try isThere(page, of: buffer) { try advise(MADV_PAGEOUT, page, of: buffer) }
        let isThere = try isThere(page, of: buffer)
        #expect(buffer.makeNonVolatile(canaries) == isThere)
    }

    @Test("the kernel reclaims no page that was taken back (7.15)", arguments: Filling.allCases)
    func takenBack(_ filling: Filling) throws {
        let buffer = try Self.buffer(filling)
        let before = bytes(buffer)
        #expect(buffer.makeNonVolatile(buffer.makeVolatile()))
        try advise(MADV_PAGEOUT, of: buffer)
        #expect(bytes(buffer) == before)
    }

    @Test(
        "locked memory refuses the offer, and stays (7.15)",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer locks no memory")
    )
    func locked() throws {
        let buffer = try Self.buffer(.mixed)
        let before = bytes(buffer)
        let start = try #require(buffer.pages(buffer.count).baseAddress)
        try #require(mlock(start, buffer.count) == 0)
        let canaries = buffer.makeVolatile()
        // Now the kernel would reclaim only pages that were offered.
        munlock(start, buffer.count)
        try advise(MADV_PAGEOUT, of: buffer)
        #expect(buffer.makeNonVolatile(canaries))
        #expect(bytes(buffer) == before)
    }

    @Test("the loss of a page in the middle of a huge page is detected (7.15)")
    func hugePage() throws {
        let buffer = try CacheBuffer(zeroes: 4 << 20)
        try advise(MADV_HUGEPAGE, of: buffer)
        buffer.write { $0.fill(with: 1) }
        let canaries = buffer.makeVolatile()
        try advise(MADV_PAGEOUT, buffer.pageCount * 5 / 8, of: buffer)
        #expect(!buffer.makeNonVolatile(canaries))
    }
}
