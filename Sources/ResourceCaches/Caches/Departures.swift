/// The result of an attempt to change a cache under the policy's lock.
@frozen @usableFromInline
enum Attempt {
    /// The change is complete.
    case done
    /// The caller has to try again at once, after it has destroyed the values that left, with no lock held.
    case more
    /// The caller has to try again when the bucket of this hash is free.
    case busy(hash: UInt32)

    var isDone: Bool { if case .done = self { true } else { false } }
}

/// Values that left a cache, to be destroyed when no lock is held.
///
/// The first value takes no heap memory: most changes remove at most one.
@frozen @usableFromInline
struct Departures<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline var first: CacheRemoval<Key, Value>?
    /// A replaced or refused value that no handler is told about.
    @usableFromInline var replaced: Value?
    /// One reference, which costs little while it is `nil`.
    @usableFromInline var rest: RestOfDepartures<Key, Value>?

    @inlinable
    init() {}

    /// The maximum number of values that leave under one hold of the policy's lock, so that it is held for
    /// microseconds.
    ///
    /// It is smaller for large values, which are moved to new pages, and at least two, because the first is kept apart.
    static var most: Int { max(2, min(64, (64 << 10) / MemoryLayout<CacheRemoval<Key, Value>>.stride)) }

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

    /// Adds another object that must not be destroyed under a lock.
    @usableFromInline
    mutating func add(other: Any) {
        makeRest().others.append(other)
    }

    /// Changes a variable, whose former value may be the last reference to an object.
    @inlinable @inline(__always)
    mutating func set(_ variable: inout Value?, to value: Value?) {
        if let variable { add(other: variable) }
        variable = value
    }

    private mutating func makeRest() -> RestOfDepartures<Key, Value> {
        if let rest { return rest }
        let new = RestOfDepartures<Key, Value>()
        rest = new
        return new
    }

    /// Removes and returns the removals, in the order in which they left.
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

/// The values that left after the first.
@usableFromInline
final class RestOfDepartures<Key: Hashable & Sendable, Value: Sendable> {
    var removals: [CacheRemoval<Key, Value>] = []
    var others: [Any] = []
}
