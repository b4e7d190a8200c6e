internal import ResourceCaches
public import Testing

/// Runs each test of a suite, including the creation of the suite's instance, in a scope of ``ResourceTesting``: warnings reach
/// only the test's own caches and hosts.
public struct OwnCaches: SuiteTrait, TestTrait, TestScoping {
    /// Each test gets its own scope, instead of one for the whole suite.
    public var isRecursive: Bool { true }

    /// Runs a test in a scope.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await ResourceTesting.scope { _ in try await function() }
    }
}

extension Trait where Self == OwnCaches {
    /// Gives each test caches and hosts that other tests' warnings do not reach.
    public static var ownCaches: Self { OwnCaches() }
}
