internal import Synchronization

/// One run of a loader, known to all that runs in it: its task or thread, child tasks, and tasks that it makes without
/// detaching them.
///
/// A load inside another one has to be recognised twice. It must not wait for a turn of the ``LoadLimiter``, as the
/// outer load keeps its own turn until the inner one has ended. And it must not wait for the value that an outer load
/// is making, which would be for ever.
package final class LoadUnderWay: Sendable {
    @TaskLocal private static var innermost: LoadUnderWay?

    /// The load that this runs in, the innermost of those that have not ended.
    ///
    /// A task that a loader has made may go on after the load.
    static var current: LoadUnderWay? {
        var load = innermost
        while let ended = load, ended.hasEnded { load = ended.outer }
        return load
    }

    /// The load in which this one began.
    ///
    /// It had not ended then, or a chain of tasks, each made by the last one's loader, would keep all its loads.
    private let outer: LoadUnderWay?
    private let ended = Atomic(false)
    private let mostPriority: Atomic<UInt8>
    private let hasRight: Atomic<Bool>

    /// A load that is about to begin.
    ///
    /// - Parameters:
    ///   - priority: What its value is loaded for.
    ///   - outer: The load in which it begins.
    package init(_ priority: CachePriority, in outer: LoadUnderWay?) {
        self.outer = outer
        mostPriority = Atomic(priority.rawValue)
        hasRight = Atomic(outer != nil)
    }

    /// A load that is about to begin here.
    package convenience init(_ priority: CachePriority = .offScreen) {
        self.init(priority, in: Self.current)
    }

    /// A load that takes the place of one that was cancelled, for all that wait for it.
    convenience init(after cancelled: LoadUnderWay, in outer: LoadUnderWay?) {
        self.init(cancelled.priority, in: outer)
        if cancelled.passes { hasRight.store(true, ordering: .relaxed) }
    }

    private var hasEnded: Bool { ended.load(ordering: .relaxed) }

    /// The most important of what the value is loaded for.
    var priority: CachePriority {
        // Only raw values of priorities are stored.
        CachePriority(rawValue: mostPriority.load(ordering: .relaxed)) ?? .onScreen
    }

    /// Whether it needs no turn, as a load under way needs it.
    var passes: Bool { hasRight.load(ordering: .relaxed) }

    /// Notes that the value is needed here too.
    ///
    /// - Returns: Whether that makes the load more urgent.
    func join(_ priority: CachePriority) -> Bool {
        let isRaised = mostPriority.max(priority.rawValue, ordering: .relaxed).oldValue < priority.rawValue
        guard Self.current != nil else { return isRaised }
        return !hasRight.exchange(true, ordering: .relaxed) || isRaised
    }

    /// Whether this runs in the load, which has not ended.
    var isAroundHere: Bool {
        var load = Self.innermost
        while let candidate = load {
            if candidate === self { return !hasEnded }
            load = candidate.outer
        }
        return false
    }

    /// Runs a loader that suspends.
    nonisolated(nonsending) func run<Value>(
        _ loader: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        defer { ended.store(true, ordering: .relaxed) }
        return try await Self.$innermost.withValue(self, operation: loader)
    }

    /// Runs a loader that blocks its thread.
    func run<Value, Failure: Error>(_ loader: () throws(Failure) -> Value) throws(Failure) -> Value {
        defer { ended.store(true, ordering: .relaxed) }
        return try Self.$innermost.withValue(self) {
            // `withValue` forgets the type of what is thrown.
            do throws(Failure) { return Result<Value, Failure>.success(try loader()) } catch { return .failure(error) }
        }.get()
    }
}
