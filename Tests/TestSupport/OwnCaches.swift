internal import ResourceCaches
public import Testing

/// Runs each test of a suite in a scope of ``ResourceTesting``, its instance of the suite included: warnings reach the test's own
/// caches and hosts, and no other test's.
public struct OwnCaches: SuiteTrait, TestTrait, TestScoping {
    /// Tests have scopes of their own, and not their suite one for all.
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
    /// Gives each test caches and hosts that no other test's warnings reach.
    public static var ownCaches: Self { OwnCaches() }
}
