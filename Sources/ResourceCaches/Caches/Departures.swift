/// How an attempt to change a cache under the policy's lock has ended.
@frozen @usableFromInline
enum Attempt {
    /// All is done.
    case done
    /// To be made again at once: so many have left that they are ended first, with no lock held.
    case more
    /// To be made again when the bucket of this hash is free.
    case busy(hash: UInt32)
}

/// Values that have left a cache, on their way to where no lock is held.
///
/// The first one takes no memory of the heap: most changes have at most one leave.
@frozen @usableFromInline
struct Departures<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline var first: CacheRemoval<Key, Value>?
    @usableFromInline var more: [CacheRemoval<Key, Value>] = []
    /// A value that was replaced and is told to no handler.
    @usableFromInline var replaced: Value?
    /// What else must not end under a lock.
    @usableFromInline var others: [Any] = []

    @inlinable
    init() {}

    @inlinable @inline(__always)
    mutating func add(_ removal: consuming CacheRemoval<Key, Value>) {
        if first == nil { first = removal } else { more.append(removal) }
    }

    /// So many leave under one hold of the policy's lock at most, so that it is held for microseconds.
    @inlinable static var most: Int { 64 }

    @inlinable var isFull: Bool { more.count &+ 1 >= Self.most }

    /// Takes the removals out, in the order in which they left.
    mutating func takeRemovals() -> [CacheRemoval<Key, Value>] {
        defer { (first, more) = (nil, []) }
        guard let first = first.take() else { return [] }
        return more.isEmpty ? [first] : [first] + more
    }

    /// In the order in which they left.
    var removals: [CacheRemoval<Key, Value>] {
        first.map { [$0] + more } ?? []
    }
}
