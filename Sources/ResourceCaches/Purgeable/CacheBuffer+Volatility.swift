internal import CLinux
internal import Synchronization

/// Pages that the kernel may take, and the proof that it has not.
///
/// A page that was offered with `MADV_FREE` keeps its bytes until the kernel needs memory, or until a thread writes to
/// it, which takes back the offer for this page. A page that was taken reads as zero. The kernel takes one page and
/// leaves the next, without a word. So each page has a proof of its own: its first word, which is not zero while the
/// page is offered, and which is exchanged for another value to take the page back:
///
/// - If the kernel took the page first, the exchange faults in a page of zeroes and yields 0: it is lost.
/// - If the exchange is first, the page is dirty from that instruction on. The kernel takes only what is clean, and looks
///   after it has removed the page from the page table: a processor that still knows the page has to look up the entry
///   again to mark it dirty, and faults.
///
/// A look followed by a write would leave a gap between them. So would an `or` with 0, or a comparison and exchange for the
/// same value: the compiler or the processor may make a mere look of these.
///
/// What is taken or kept is always a whole number of the pages that sysconf(3) names, whatever the kernel groups them to:
/// - A huge page, or a large folio, is split by an offer for a part of it, and taken as a whole or page by page.
/// - A page in swap space when it is offered is forgotten there: it reads as zero, and is lost. One that is swapped out
///   after it was taken back is read in again with its bytes.
/// - After a fork a page belongs to both processes. An exchange makes a copy for the one that does it; what the kernel
///   takes before, it takes from both.
/// - Locked memory, and a kernel that does not know `MADV_FREE`, refuse the offer. Then nothing is ever taken: the words
///   prove it, and the memory goes when the buffer ends.
extension CacheBuffer {
    /// The pages whose first word was zero, and is a canary while they are offered; in ascending order.
    struct Canaries: Sendable {
        fileprivate var pages: [Int] = []
    }

    /// Any value but 0.
    static let canary: UInt = 0x6361_6e61

    /// Offers all pages to the kernel.
    ///
    /// Until they are taken back, no thread may read or write them. Touches every page; a page that was never written gets memory for that.
    func makeVolatile() -> Canaries {
        var canaries = Canaries()
        for page in 0..<pageCount {
            withFirstWord(of: page) { word in
                guard word.load(ordering: .relaxed) == 0 else { return }
                word.store(Self.canary, ordering: .relaxed)
                canaries.pages.append(page)
            }
        }
        // After the writes, which would take the offer back.
        madvise(pages(allocatedCount).baseAddress, allocatedCount, MADV_FREE)
        return canaries
    }

    /// Takes all pages back, and tells whether every one of them was still there.
    ///
    /// If it was not, what the bytes are is undefined, and the buffer is of no more use.
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
