internal import Synchronization

/// A number that several threads may increase.
public final class Counter: Sendable {
    private let count = Atomic(0)

    /// A counter with the value zero.
    public init() {}

    /// The number of increments.
    public var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Increases it by one.
    public func increment() {
        count.add(1, ordering: .sequentiallyConsistent)
    }
}

/// Calls a function when it is destroyed.
public final class LastWords: Sendable {
    private let atEnd: @Sendable () -> Void

    /// Creates an object that calls this function when it is destroyed.
    public init(_ atEnd: @escaping @Sendable () -> Void) {
        self.atEnd = atEnd
    }

    deinit {
        atEnd()
    }
}
