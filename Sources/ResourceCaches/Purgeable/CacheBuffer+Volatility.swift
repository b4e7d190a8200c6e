internal import CLinux
internal import Synchronization

/// Pages that the kernel may reclaim, and the proof that it has not.
///
/// A page offered with `MADV_FREE` keeps its bytes until the kernel needs memory, or until a thread writes to it, which
/// withdraws the offer for this page. A reclaimed page reads as zero. The kernel may reclaim one page and leave the
/// next, without any notice. So each page has its own proof: its first word, which is not zero while the page is
/// offered, and which is exchanged for another value to take the page back:
///
/// - If the kernel reclaimed the page first, the exchange faults in a page of zeroes and returns 0: the page is lost.
/// - If the exchange is first, the page is dirty from that instruction on. The kernel reclaims only clean pages, and
///   checks after it has removed the page from the page table: a processor that still caches the entry has to look it
///   up again to mark the page dirty, and faults.
///
/// A read followed by a write would leave a gap between them. So would an `or` with 0, or a compare-and-exchange for
/// the same value: the compiler or the processor may reduce these to a read.
///
/// The kernel always reclaims or keeps whole pages of the size that sysconf(3) returns, however it groups them:
/// - A huge page, or a large folio, is split by an offer of a part of it, and reclaimed as a whole or page by page.
/// - If a page is in swap space when it is offered, the kernel drops it there: it reads as zero, and is lost. A page
///   that is swapped out after it was taken back is read in again with its bytes.
/// - After a fork a page belongs to both processes. An exchange makes a copy for the process that performs it; if the
///   kernel reclaims the page before that, both processes lose it.
/// - Locked memory, and a kernel that does not know `MADV_FREE`, refuse the offer. Then no page is ever reclaimed, as
///   the words prove, and the memory is freed with the buffer.
extension CacheBuffer {
    /// The pages whose first word was zero, and is a canary while they are offered; in ascending order.
    struct Canaries: Sendable {
        fileprivate var pages: [Int] = []
    }

    /// Any value but 0.
    static let canary: UInt = 0x6361_6e61

    /// Offers all pages to the kernel.
    ///
    /// Until they are taken back, no thread may read or write them. This touches every page; a page that was never
    /// written gets memory.
    func makeVolatile() -> Canaries {
        var canaries = Canaries()
        for page in 0..<pageCount {
            withFirstWord(of: page) { word in
                guard word.load(ordering: .relaxed) == 0 else { return }
                word.store(Self.canary, ordering: .relaxed)
                canaries.pages.append(page)
            }
        }
        // This comes after the writes, which would withdraw the offer.
        madvise(pages(allocatedCount).baseAddress, allocatedCount, MADV_FREE)
        return canaries
    }

    /// Takes all pages back, and returns whether all of them were still intact.
    ///
    /// If not, the bytes are undefined, and the buffer is useless.
    func makeNonVolatile(_ canaries: Canaries) -> Bool {
        var canaries = canaries.pages[...]
        for page in 0..<pageCount {
            let isThere = withFirstWord(of: page) { word in
                let old = word.exchange(Self.canary, ordering: .relaxed)
                guard old != 0 else { return false }
                if canaries.first == page {
                    canaries.removeFirst()
                    word.store(0, ordering: .relaxed)
                } else {
                    word.store(old, ordering: .relaxed)
                }
                return true
            }
            guard isThere else { return false }
        }
        return true
    }

    private func withFirstWord<Result>(of page: Int, _ body: (borrowing Atomic<UInt>) -> Result) -> Result {
        let start = address + UInt(page * Self.pageSize)
        guard let word = UnsafeMutablePointer<Atomic<UInt>>(bitPattern: start) else {
            fatalError("the buffer has no pages")
        }
        return body(word.pointee)
    }
}
