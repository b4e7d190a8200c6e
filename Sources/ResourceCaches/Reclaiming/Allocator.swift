internal import CLinux

/// What is behind malloc(3) in this process, and how it returns free pages to the kernel.
///
/// Recognised once. A function's name alone proves nothing, since a library may bring an allocator for itself: each is
/// asked about a block from malloc(3). What an allocator is set to stays as it is.
package struct Allocator: Sendable {
    /// Which allocator it is.
    package enum Kind: Sendable, CaseIterable {
        /// None of the others; its free pages stay with it for as long as it likes.
        case other
        case glibc
        case jemalloc
        case mimalloc
        /// That of gperftools or that of Google.
        case tcmalloc
    }

    /// The process's own.
    package static let current = Allocator(AllocatorSymbols())

    /// Nothing is known of it, and nothing is done.
    private static let other = Allocator(.other, purge: {})

    package let kind: Kind
    private let purge: @Sendable () -> Void
    private let collect: (@Sendable () -> Void)?
    private let delay: PurgeDelay?

    /// The first that proves to be malloc(3)'s.
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

    /// Has free pages returned, as far as any thread can.
    func trim() {
        purge()
    }

    /// Has pages return as soon as they are free while `body` runs, where the allocator would wait for a while.
    func withoutDelay<Result>(_ body: () -> Result) -> Result {
        delay?.suspend()
        defer { delay?.resume() }
        return body()
    }

    /// Whether memory that one thread has taken and another has freed waits for the first to come by.
    ///
    /// ``trim()`` then returns only what the calling thread has taken, and what others have collected.
    package var keepsPagesByThread: Bool { collect != nil }

    /// Has the calling thread take back what others have freed of its memory, so that ``trim()`` on any thread can
    /// return it; nothing where ``keepsPagesByThread`` is false.
    ///
    /// Takes about 5 ms for a million blocks.
    func collectOwn() {
        collect?()
    }

    /// How many of the bytes that were freed, by own count, can be said to be released.
    ///
    /// All of them, except where other threads keep pages and none can ask for those: there as many as the kernel shows.
    ///
    /// - Parameters:
    ///   - freed: The bytes, by own count.
    ///   - before: The resident set before, in bytes.
    ///   - after: The resident set afterwards.
    /// - Returns: The bytes that may be claimed.
    package func claim(_ freed: UInt64, residentBefore before: UInt64, after: UInt64) -> UInt64 {
        keepsPagesByThread ? min(freed, before > after ? before - after : 0) : freed
    }
}
