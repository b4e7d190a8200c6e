internal import Synchronization

/// One run of a loader, visible to all code inside it: its task or thread, child tasks, and tasks that it creates
/// without detaching them.
///
/// A load inside another one has to be recognised for two reasons. It must not wait for a turn of the ``LoadLimiter``,
/// because the outer load keeps its own turn until the inner one has ended. And it must not wait for the value that an
/// outer load is making, because that wait would never end.
package final class LoadUnderWay: Sendable {
    @TaskLocal private static var innermost: LoadUnderWay?

    /// The innermost unfinished load in which this code runs.
    ///
    /// A task that a loader has created may outlive the load.
    static var current: LoadUnderWay? {
        var load = innermost
        while let ended = load, ended.hasEnded { load = ended.outer }
        return load
    }

    /// The unfinished load in which this one began.
    ///
    /// Only an unfinished one is kept: otherwise a chain of tasks, each created by the previous loader, would keep all
    /// its loads alive.
    private let outer: LoadUnderWay?
    private let ended = Atomic(false)
    private let mostPriority: Atomic<UInt8>
    private let hasRight: Atomic<Bool>

    /// Creates a load that is about to begin.
    ///
    /// - Parameters:
    ///   - priority: The purpose for which its value is loaded.
    ///   - outer: The load in which it begins.
    package init(_ priority: CachePriority, in outer: LoadUnderWay?) {
        self.outer = outer
        mostPriority = Atomic(priority.rawValue)
        hasRight = Atomic(outer != nil)
    }

    /// Creates a load that is about to begin here.
    package convenience init(_ priority: CachePriority = .offScreen) {
        self.init(priority, in: Self.current)
    }

    /// Creates a load that replaces a cancelled one for all its waiters.
    convenience init(after cancelled: LoadUnderWay, in outer: LoadUnderWay?) {
        self.init(cancelled.priority, in: outer)
        if cancelled.passes { hasRight.store(true, ordering: .relaxed) }
    }

    private var hasEnded: Bool { ended.load(ordering: .relaxed) }

    /// The highest priority for which the value is loaded.
    var priority: CachePriority {
        // Only raw values of priorities are stored.
        CachePriority(rawValue: mostPriority.load(ordering: .relaxed)) ?? .onScreen
    }

    /// Whether it needs no turn, because a load under way needs it.
    var passes: Bool { hasRight.load(ordering: .relaxed) }

    /// Records that the value is needed here too.
    ///
    /// - Returns: Whether that makes the load more urgent.
    func join(_ priority: CachePriority) -> Bool {
        let isRaised = mostPriority.max(priority.rawValue, ordering: .relaxed).oldValue < priority.rawValue
        guard Self.current != nil else { return isRaised }
        return !hasRight.exchange(true, ordering: .relaxed) || isRaised
    }

    /// Whether this code runs inside the load and the load has not ended.
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
            // `withValue` loses the type of the thrown error.
            do throws(Failure) { return Result<Value, Failure>.success(try loader()) } catch { return .failure(error) }
        }.get()
    }
}
