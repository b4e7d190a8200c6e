internal import Synchronization

/// When an entry expires, in nanoseconds of its cache's clock; for entries that can expire.
@usableFromInline
struct EntryTimes: ~Copyable {
    /// From this time on reads do not return the entry.
    let expires: UInt64
    /// From this time on a load returns it and refreshes it in the background.
    let growsStale: UInt64
    /// How long it is kept without being read.
    let idleLimit: UInt64
    /// When it was last read; readers store it.
    let lastUse: Atomic<UInt64>

    init(expires: UInt64, growsStale: UInt64, idleLimit: UInt64, now: UInt64) {
        self.expires = expires
        self.growsStale = growsStale
        self.idleLimit = idleLimit
        lastUse = Atomic(now)
    }

    init(copying other: UnsafeMutablePointer<EntryTimes>) {
        (expires, growsStale) = (other.pointee.expires, other.pointee.growsStale)
        idleLimit = other.pointee.idleLimit
        lastUse = Atomic(other.pointee.lastUse.load(ordering: .relaxed))
    }

    /// Whether the entry has expired.
    func hasExpired(at now: UInt64) -> Bool {
        if now >= expires { return true }
        // The last use may have been counted by a thread that read the clock after this one.
        let unused = now.subtractingReportingOverflow(lastUse.load(ordering: .relaxed))
        return !unused.overflow && unused.partialValue >= idleLimit
    }
}

/// When an entry expires, in nanoseconds of the cache's clock; for a value that expires together with another.
struct EntryEnds: Sendable {
    let expires: UInt64
    let growsStale: UInt64
    let idleLimit: UInt64
    /// When the entry was last read.
    let lastUse: UInt64

    init(_ times: UnsafeMutablePointer<EntryTimes>) {
        (expires, growsStale) = (times.pointee.expires, times.pointee.growsStale)
        idleLimit = times.pointee.idleLimit
        lastUse = times.pointee.lastUse.load(ordering: .relaxed)
    }
}
