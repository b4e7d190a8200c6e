public import MemoryPressure

/// A scope for a test, with its own memory warnings, load limits and clock.
///
/// ```swift
/// @Test func givesBackWhatItHasShown() async throws {
///     try await ResourceTesting.scope { scope in
///         let gallery = Gallery()
///         for number in 0..<10 { _ = try await gallery.page(number) }
///         #expect(await scope.simulateMemoryWarning() == 5 * Gallery.pageSize)
///         scope.advance(by: .seconds(30))
///         #expect(try await gallery.page(0).count == Gallery.pageSize)
///     }
/// }
/// ```
///
/// **Members of the scope** are each cache, reloadable value, `PurgeableData`, ``Reclaimable`` and `ControllerHost`
/// that is created, or registers, while the closure runs, in its task, in child tasks, and in tasks that these create
/// without detaching them. Warnings inside reach only the members, and no other warnings reach them. Objects that were
/// created before, or on a separate thread or in a detached task, belong to the process. So tests may run in parallel;
/// let the service under test create its caches inside the scope instead of using global ones. A global variable
/// belongs to the scope if it is first used inside.
///
/// **The clock** stands still until ``advance(by:)``. Times to live, times after a warning and the times of
/// ``LoadLimits`` use it, except in a cache with its own clock. Inside the scope ``LoadLimits/process`` is that of the
/// scope.
///
/// **When the closure has returned** or thrown, waiting loads run, pressure is over, and the living members belong to
/// the surrounding scope or the process, with a clock that moves on by 20 s and then runs by itself. Scopes may be
/// nested: the inner one does not reach objects that were created before it, and begins with the default
/// ``LoadLimits``.
///
/// Without a scope the creation of a cache costs one additional read of a task-local value, and its use nothing.
public struct ResourceTesting: Sendable {
    @TaskLocal private static var innermost: Self?

    /// The innermost scope of the caller; `nil` outside all scopes, and on a thread or in a detached task that was
    /// created inside.
    ///
    /// For a test whose scope a trait of its suite has created.
    public static var current: Self? { innermost }

    private let clock: ManualClock
    private let reclaimer: Reclaimer

    private init() {
        clock = ManualClock()
        // The test could not know how far to advance the clock for a background load with a random delay.
        reclaimer = Reclaimer(loadLimiter: LoadLimiter(longestJitter: .zero, clock: clock), clock: CacheClock(clock))
    }

    /// Runs a test in a new scope, on the calling thread.
    ///
    /// - Parameter body: The test, with the scope.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public static func scope<Result>(_ body: (_ scope: Self) throws -> Result) rethrows -> Result {
        let scope = Self()
        defer { scope.end() }
        return try Self.$innermost.withValue(scope) { try scope.reclaimer.use { try body(scope) } }
    }

    /// Runs a suspending test in a new scope, in the caller's isolation.
    ///
    /// - Parameter body: The test, with the scope.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public static nonisolated(nonsending) func scope<Result>(
        _ body: nonisolated(nonsending) (_ scope: Self) async throws -> Result
    ) async rethrows -> Result {
        let scope = Self()
        defer { scope.end() }
        return try await Self.$innermost.withValue(scope) { try await scope.reclaimer.use { try await body(scope) } }
    }

    /// Advances the clock, and wakes tasks that wait for it.
    ///
    /// Loads that may run then begin in their own tasks, soon after. After the end of the scope this still advances the
    /// clock of its former members.
    public func advance(by duration: Duration) {
        clock.advance(by: duration)
    }

    /// Warns the scope's caches as if memory were short, without a host, and then ends the pressure.
    ///
    /// It is like `simulateMemoryWarning` of a `ControllerHost`, which also tells its controllers. It blocks until
    /// caches have shrunk, asks each ``AsyncReclaimable`` for its part, and does not wait for that. In an `async`
    /// function the other form is called, with `await`.
    ///
    /// - Parameters:
    ///   - level: The level; ``PressureLevel/normal`` wants nothing.
    ///   - bytesWanted: The bytes wanted; 0 for the level's share of all bytes.
    /// - Returns: The bytes given back, by the responders' own count.
    @discardableResult
    public func simulateMemoryWarning(_ level: PressureLevel = .warning, bytesWanted: UInt64 = 0) -> UInt64 {
        warn(level, bytesWanted, patience: nil)
    }

    /// Warns the scope's caches as if memory were short, without a host, and then ends the pressure.
    ///
    /// It is like a warning that arrives while a `ControllerHost` runs: caches shrink on another thread, which waits
    /// for each ``AsyncReclaimable``. It waits for a second each time, so that a busy machine fails no test; a host
    /// waits for 0.3 s, at critical for 0.15 s.
    ///
    /// - Parameters:
    ///   - level: The level; ``PressureLevel/normal`` wants nothing.
    ///   - bytesWanted: The bytes wanted; 0 for the level's share of all bytes.
    /// - Returns: The bytes given back, by the responders' own count.
    @discardableResult
    public nonisolated(nonsending) func simulateMemoryWarning(
        _ level: PressureLevel = .warning,
        bytesWanted: UInt64 = 0
    ) async -> UInt64 {
        await withCheckedContinuation { continuation in
            reclaimer.perform {
                continuation.resume(returning: warn(level, bytesWanted, patience: .seconds(1)))
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
        // By then the values that a warning dropped had time to return.
        clock.advance(by: .nanoseconds(Int64(LoadLimiter.aftermath)))
        clock.run()
    }
}
