/// How an attempt to change a cache under the policy's lock has ended.
@frozen @usableFromInline
enum Attempt {
    /// All is done.
    case done
    /// To be made again at once: so many have left that they are ended first, with no lock held.
    case more
    /// To be made again when the bucket of this hash is free.
    case busy(hash: UInt32)

    var isDone: Bool { if case .done = self { true } else { false } }
}

/// Values that have left a cache, on their way to where no lock is held.
///
/// The first one takes no memory of the heap: most changes have at most one leave.
@frozen @usableFromInline
struct Departures<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline var first: CacheRemoval<Key, Value>?
    /// A value that was replaced and is told to no handler.
    @usableFromInline var replaced: Value?
    /// One reference, which costs little while it is `nil`.
    @usableFromInline var rest: RestOfDepartures<Key, Value>?

    @inlinable
    init() {}

    /// So many leave under one hold of the policy's lock at most, so that it is held for microseconds.
    static var most: Int { 64 }

    @inlinable @inline(__always) var isFull: Bool { rest != nil && isRestFull }

    @usableFromInline var isRestFull: Bool { rest.map { $0.removals.count + 1 >= Self.most } ?? false }

    @inlinable @inline(__always)
    mutating func add(_ removal: consuming CacheRemoval<Key, Value>) {
        if first == nil { first = removal } else { addToRest(removal) }
    }

    @usableFromInline
    mutating func addToRest(_ removal: CacheRemoval<Key, Value>) {
        makeRest().removals.append(removal)
    }

    /// Adds something else that must not end under a lock.
    mutating func add(other: Any) {
        makeRest().others.append(other)
    }

    private mutating func makeRest() -> RestOfDepartures<Key, Value> {
        if let rest { return rest }
        let new = RestOfDepartures<Key, Value>()
        rest = new
        return new
    }

    /// Takes the removals out, in the order in which they left.
    mutating func takeRemovals() -> [CacheRemoval<Key, Value>] {
        defer {
            first = nil
            rest?.removals = []
        }
        return removals
    }

    /// In the order in which they left.
    var removals: [CacheRemoval<Key, Value>] {
        first.map { [$0] + (rest?.removals ?? []) } ?? []
    }
}

/// What has left after the first value.
@usableFromInline
final class RestOfDepartures<Key: Hashable & Sendable, Value: Sendable> {
    var removals: [CacheRemoval<Key, Value>] = []
    var others: [Any] = []
}
