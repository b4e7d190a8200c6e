public import MemoryPressure

/// A scope for a test, with memory warnings, a load limit and a clock of its own.
///
/// ```swift
/// @Test func givesBackWhatItHasShown() async throws {
///     try await ResourceTesting.scope { scope in
///         let gallery = Gallery()
///         for number in 0..<10 { _ = try await gallery.page(number) }
///         #expect(await scope.simulateMemoryWarning() == 5 * Gallery.pageSize)
///         scope.advance(by: .seconds(60))
///         #expect(try await gallery.page(0).count == Gallery.pageSize)
///     }
/// }
/// ```
///
/// **What belongs to it**: each cache, reloadable value, `PurgeableData`, ``Reclaimable`` and `ControllerHost` that is made,
/// or registers, while the closure runs, in its task, in child tasks, and in tasks that these make without detaching
/// them. Warnings inside reach those and nothing else, and nothing else's warnings reach them. What was made before, and what
/// is made on a thread of its own or in a detached task, belongs to the process. So tests may run in parallel, and a test has
/// its service make its caches inside, and not reach for global ones. A global variable belongs to the scope if it is first
/// used inside.
///
/// **The clock** stands still until ``advance(by:)``. Times to live, times after a warning and the times of ``LoadLimits`` go
/// by it, except in a cache with a clock of its own. ``LoadLimits/process`` is the scope's inside.
///
/// **When the closure has returned** or thrown, waiting loads run, pressure is over, and what is still alive belongs to what
/// is around the scope, with a clock that goes by itself. Scopes may be nested: the inner one reaches nothing that was made
/// before it.
///
/// Without a scope a cache costs one read of a task-local value more when it is made, and nothing after that.
public struct ResourceTesting: Sendable {
    @TaskLocal private static var innermost: Self?

    /// The scope that the caller runs in, of nested ones the innermost; `nil` outside of all, and on a thread or in a detached
    /// task that was made inside.
    ///
    /// For a test whose scope a trait of its suite has made.
    public static var current: Self? { innermost }

    private let clock: ManualClock
    private let reclaimer: Reclaimer

    private init() {
        clock = ManualClock()
        reclaimer = Reclaimer(loadLimiter: LoadLimiter(clock: clock), clock: CacheClock(clock))
    }

    /// Runs a test in a scope of its own, on the calling thread.
    ///
    /// - Parameter body: The test, with the scope.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public static func scope<Result>(_ body: (_ scope: Self) throws -> Result) rethrows -> Result {
        let scope = Self()
        defer { scope.end() }
        return try Self.$innermost.withValue(scope) { try scope.reclaimer.use { try body(scope) } }
    }

    /// Runs a test that suspends in a scope of its own, in the caller's isolation.
    ///
    /// - Parameter body: The test, with the scope.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public static nonisolated(nonsending) func scope<Result>(
        _ body: nonisolated(nonsending) (_ scope: Self) async throws -> Result
    ) async rethrows -> Result {
        let scope = Self()
        defer { scope.end() }
        return try await Self.$innermost.withValue(scope) { try await scope.reclaimer.use { try await body(scope) } }
    }

    /// Lets time pass, and wakes what waits for it.
    ///
    /// Loads that may run then begin in their own tasks, soon after.
    public func advance(by duration: Duration) {
        clock.advance(by: duration)
    }

    /// Warns the scope's caches as if memory were short, without a host, and says then that it is over.
    ///
    /// As `simulateMemoryWarning` of a `ControllerHost`, which tells its controllers as well. It blocks until caches have
    /// shrunk, asks each ``AsyncReclaimable`` for its part, and does not wait for that. In an `async` function the other
    /// form is called, with `await`.
    ///
    /// - Parameters:
    ///   - level: How urgent it is; at ``PressureLevel/normal`` nothing is asked for.
    ///   - bytesWanted: How many bytes are asked for; 0 for the level's share of what there is.
    /// - Returns: The bytes that were given back, by own count.
    @discardableResult
    public func simulateMemoryWarning(_ level: PressureLevel = .warning, bytesWanted: UInt64 = 0) -> UInt64 {
        warn(level, bytesWanted, patience: nil)
    }

    /// Warns the scope's caches as if memory were short, without a host, and says then that it is over.
    ///
    /// As a warning that comes while a `ControllerHost` runs: caches shrink on another thread, which waits for each
    /// ``AsyncReclaimable`` as long as it says there.
    ///
    /// - Parameters:
    ///   - level: How urgent it is; at ``PressureLevel/normal`` nothing is asked for.
    ///   - bytesWanted: How many bytes are asked for; 0 for the level's share of what there is.
    /// - Returns: The bytes that were given back, by own count.
    @discardableResult
    public nonisolated(nonsending) func simulateMemoryWarning(
        _ level: PressureLevel = .warning,
        bytesWanted: UInt64 = 0
    ) async -> UInt64 {
        await withCheckedContinuation { continuation in
            reclaimer.perform {
                continuation.resume(returning: warn(level, bytesWanted, patience: AsyncAnswers.patience))
            }
        }
    }

    private func warn(_ level: PressureLevel, _ bytesWanted: UInt64, patience: Duration?) -> UInt64 {
        let request = ReclaimRequest(level: level, bytesWanted: bytesWanted)
        let given = reclaimer.reclaim(for: request, patience: patience)
        reclaimer.pressureDidEnd()
        return given
    }

    private func end() {
        reclaimer.end(leavingAllTo: .current)
        // By then what a warning took has had time to come back.
        clock.advance(by: .nanoseconds(Int64(LoadLimiter.aftermath)))
        clock.run()
    }
}
