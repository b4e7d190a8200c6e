/// The outcome of one warning: the bytes that were released by their owners' own count, and the change that the kernel
/// saw.
///
/// The two differ. The count adds up the sizes that views, backings and caches declare. The resident set is that of the
/// whole process, so it includes memory that other code allocates or frees meanwhile, and memory that is still referred
/// to is not freed at all.
public struct MemoryRelease: Sendable, Hashable {
    /// The bytes released, by their owners' own count: unloaded view trees, discarded backings, cache entries.
    ///
    /// For a cache without a weigher, this counts values instead of bytes. With mimalloc, which does not return memory
    /// that belongs to other threads, the figure is at most the fall of the resident set.
    public var released: UInt64
    /// The process's resident set before the delivery, in bytes.
    public var residentBefore: UInt64
    /// The resident set after the delivery, and after the allocator has returned its free pages, in bytes.
    ///
    /// A process without a free descriptor cannot measure it: then it is ``residentBefore``.
    public var residentAfter: UInt64
    /// The duration, measurement included.
    public var duration: Duration

    /// A release with its figures.
    public init(released: UInt64, residentBefore: UInt64, residentAfter: UInt64, duration: Duration) {
        self.released = released
        self.residentBefore = residentBefore
        self.residentAfter = residentAfter
        self.duration = duration
    }

    /// Nothing was broadcast, so nothing was released or measured: every figure is 0.
    public static let none = Self(released: 0, residentBefore: 0, residentAfter: 0, duration: .zero)

    /// The bytes by which the resident set shrank; 0 if it grew.
    public var residentFreed: UInt64 {
        residentBefore > residentAfter ? residentBefore - residentAfter : 0
    }
}
