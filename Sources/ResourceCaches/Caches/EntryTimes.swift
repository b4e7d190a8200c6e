internal import Synchronization

/// When an entry is out of date, in nanoseconds of its cache's clock; for those entries that ever are.
@usableFromInline
struct EntryTimes: ~Copyable {
    /// From then on the entry is no longer handed out.
    let expires: UInt64
    /// From then on a load hands it out and makes a new one meanwhile.
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

    /// Whether the entry is out of date.
    func hasExpired(at now: UInt64) -> Bool {
        if now >= expires { return true }
        // The last use may have been counted by a thread that read the clock after this one.
        let unused = now.subtractingReportingOverflow(lastUse.load(ordering: .relaxed))
        return !unused.overflow && unused.partialValue >= idleLimit
    }
}

/// When an entry ends, for a value that is to end as another one does, in nanoseconds of the cache's clock.
struct EntryEnds: Sendable {
    let expires: UInt64
    let growsStale: UInt64
    let idleLimit: UInt64

    init(_ times: UnsafeMutablePointer<EntryTimes>) {
        (expires, growsStale) = (times.pointee.expires, times.pointee.growsStale)
        idleLimit = times.pointee.idleLimit
    }
}
