extension Reclaimer {
    @TaskLocal private static var ofTask: Reclaimer?

    /// Where what is made here registers: the test scope's that this task runs in, or the process's own.
    package static var current: Reclaimer { ofTask ?? shared }

    /// Has what the closure makes register here.
    package func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$ofTask.withValue(self, operation: body)
    }

    /// Has what the closure makes register here, in child tasks and unstructured tasks too.
    nonisolated(nonsending) func use<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$ofTask.withValue(self, operation: body)
    }
}

extension LoadLimits {
    /// The limits of this process, which apply from then on to the loads that wait, too.
    ///
    /// May be read and set from any thread. Inside a scope of ``ResourceTesting`` they are the scope's.
    public static var process: LoadLimits {
        get { Reclaimer.current.loadLimiter.limits }
        set { Reclaimer.current.loadLimiter.limits = newValue }
    }
}
