internal import Synchronization

/// A number that several threads may raise.
public final class Counter: Sendable {
    private let count = Atomic(0)

    /// Zero.
    public init() {}

    /// How often it was raised.
    public var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Raises it by one.
    public func increment() {
        count.add(1, ordering: .sequentiallyConsistent)
    }
}

/// Does something when it ends.
public final class LastWords: Sendable {
    private let atEnd: @Sendable () -> Void

    /// Something that does this when it ends.
    public init(_ atEnd: @escaping @Sendable () -> Void) {
        self.atEnd = atEnd
    }

    deinit {
        atEnd()
    }
}
