public import CLinux
public import Synchronization

/// Exact counts of hits and misses, without any thread waiting for another.
///
/// Each thread counts in the line of its number. Threads beyond the last line share the first one, with atomic additions.
@usableFromInline
struct ReaderCounters: ~Copyable, Sendable {
    // Two words in each 64 bytes: hits and misses.
    // `nonisolated(unsafe)`: the pointer does not change, and its memory is atomic.
    @usableFromInline nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// Threads with larger numbers share line 0.
    @usableFromInline let lastLine: UInt32

    @inlinable static var wordsPerLine: Int { 8 }

    /// Lines for twice as many threads as there are processors, the main thread and a few of the service's own included.
    init(processors: Int = sysconf(CInt(_SC_NPROCESSORS_ONLN))) {
        let lines = min(64, max(4, processors * 2))
        lastLine = UInt32(lines - 1)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: lines * 64, alignment: 64)
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: lines * Self.wordsPerLine)
        for word in 0..<lines * Self.wordsPerLine { (words + word).initialize(to: Atomic(0)) }
    }

    deinit {
        words.deallocate()
    }

    @inlinable @inline(__always)
    func count(isHit: Bool) {
        let line = thread_number()
        let place = isHit ? 0 : 1
        if line <= lastLine {
            let word = words + (Int(line) &* Self.wordsPerLine &+ place)
            // No other thread stores here; the previous thread with this number has ended.
            word.pointee.store(word.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        } else {
            words[place].wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// The sums over all threads.
    var totals: (hits: UInt64, misses: UInt64) {
        var totals: (hits: UInt64, misses: UInt64) = (0, 0)
        for line in 0...Int(lastLine) {
            totals.hits += words[line * Self.wordsPerLine].load(ordering: .relaxed)
            totals.misses += words[line * Self.wordsPerLine + 1].load(ordering: .relaxed)
        }
        return totals
    }
}
