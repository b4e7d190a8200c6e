/// What one warning brought: the bytes that were given up by their owners' own count, and what the kernel saw of it.
///
/// The two differ. The count says what views, backings and caches declare; the resident set is that of the whole
/// process, so whatever else it allocates or frees meanwhile is in it, and memory that something still refers to is not
/// freed at all.
public struct MemoryRelease: Sendable, Hashable {
    /// The bytes given up, by own count: unloaded view trees, discarded backings, cache entries.
    ///
    /// A cache without a weigher counts its values here, not their bytes. With mimalloc, which returns nothing that other
    /// threads keep, the figure is never more than the fall of the resident set.
    public var released: UInt64
    /// The process's resident set before any part of it was told, in bytes.
    public var residentBefore: UInt64
    /// The resident set after all parts were told and the allocator had returned its free pages, in bytes.
    public var residentAfter: UInt64
    /// How long it took, measurement included.
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

    /// By how many bytes the resident set shrank; 0 if it grew.
    public var residentFreed: UInt64 {
        residentBefore > residentAfter ? residentBefore - residentAfter : 0
    }
}
