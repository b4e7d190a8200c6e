extension Reclaimer {
    @TaskLocal private static var ofTask: Reclaimer?

    /// The reclaimer with which new objects register: that of the task's test scope, or that of the process.
    package static var current: Reclaimer { ofTask ?? shared }

    /// Makes objects that the closure creates register with this reclaimer.
    package func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$ofTask.withValue(self, operation: body)
    }

    /// Makes objects that the closure creates register with this reclaimer, including those of child tasks and
    /// unstructured tasks.
    nonisolated(nonsending) func use<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$ofTask.withValue(self, operation: body)
    }
}

extension LoadLimits {
    /// The limits of this process; a change also applies to waiting loads.
    ///
    /// May be read and set from any thread. Inside a scope of ``ResourceTesting`` they are the limits of the scope.
    public static var process: LoadLimits {
        get { Reclaimer.current.loadLimiter.limits }
        set { Reclaimer.current.loadLimiter.limits = newValue }
    }
}
