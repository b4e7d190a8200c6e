internal import CLinux

/// The allocator behind malloc(3) in this process, and how it returns free pages to the kernel.
///
/// It is recognised once. A function's name alone proves nothing, since a library may contain its own allocator: each
/// candidate is asked about a block from malloc(3). The allocator's settings are not changed.
package struct Allocator: Sendable {
    /// Which allocator it is.
    package enum Kind: Sendable, CaseIterable {
        /// None of the others; it decides by itself when to return free pages.
        case other
        case glibc
        case jemalloc
        case mimalloc
        /// The allocator of gperftools, or Google's TCMalloc.
        case tcmalloc
    }

    /// The allocator of the process.
    package static let current = Allocator(AllocatorSymbols())

    /// An unknown allocator, on which nothing is called.
    private static let other = Allocator(.other, purge: {})

    package let kind: Kind
    private let purge: @Sendable () -> Void
    private let collect: (@Sendable () -> Void)?
    private let delay: PurgeDelay?

    /// Creates the first allocator that proves to be behind malloc(3).
    init(_ symbols: AllocatorSymbols) {
        self =
            symbols.mimalloc ?? symbols.jemalloc ?? symbols.tcmalloc ?? symbols.laterTcmalloc ?? symbols.glibc ?? .other
    }

    init(
        _ kind: Kind,
        collect: (@Sendable () -> Void)? = nil,
        delay: PurgeDelay? = nil,
        purge: @escaping @Sendable () -> Void
    ) {
        self.kind = kind
        self.collect = collect
        self.delay = delay
        self.purge = purge
    }

    /// Makes the allocator return free pages, as far as one thread can.
    func trim() {
        purge()
    }

    /// Makes the allocator return pages as soon as they are free while `body` runs, if it would otherwise wait.
    func withoutDelay<Result>(_ body: () -> Result) -> Result {
        delay?.suspend()
        defer { delay?.resume() }
        return body()
    }

    /// Whether memory that one thread allocated and another freed stays until the first thread collects it.
    ///
    /// ``trim()`` then returns only memory that the calling thread allocated, and memory that other threads have
    /// collected.
    package var keepsPagesByThread: Bool { collect != nil }

    /// Makes the calling thread collect its memory that other threads freed, so that ``trim()`` on any thread can
    /// return it; does nothing if ``keepsPagesByThread`` is `false`.
    ///
    /// Takes about 5 ms for a million blocks.
    func collectOwn() {
        collect?()
    }

    /// The number of freed bytes, by the responders' own count, that may be claimed as released.
    ///
    /// All of them, unless other threads keep pages that no call returns: then the decrease that the kernel shows.
    ///
    /// - Parameters:
    ///   - freed: The freed bytes, by the responders' own count.
    ///   - before: The resident set before, in bytes.
    ///   - after: The resident set afterwards.
    /// - Returns: The bytes that may be claimed.
    package func claim(_ freed: UInt64, residentBefore before: UInt64, after: UInt64) -> UInt64 {
        keepsPagesByThread ? min(freed, before > after ? before - after : 0) : freed
    }
}
