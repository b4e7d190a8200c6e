#if ServiceLifecycle
public import ResourceManager
internal import ServiceLifecycle

extension ControllerHost {
    /// Runs the host as `run()` does, and returns when the service group it is part of shuts down gracefully.
    ///
    /// What an actor that owns a host needs in order to be a `Service`:
    ///
    /// ```swift
    /// actor Gallery: Service {
    ///     private let host = ControllerHost("gallery")
    ///     func run() async throws { try await host.runUntilGracefulShutdown() }
    /// }
    /// ```
    ///
    /// Runs in the caller's isolation, with everything that it calls. Before it returns, what the host was asked to save
    /// is written. Outside of a service group it is the same as `run()`. List it before the services that use the
    /// host's controllers: a group ends its services in reverse order.
    ///
    /// - Throws: `CancellationError` when the task is cancelled. `KernelError` if the process has no descriptor or thread
    ///   left to wait with.
    public nonisolated(nonsending) func runUntilGracefulShutdown() async throws {
        do {
            try await runInTask(isolation: #isolation)
        } catch is CancellationError where Task.isShuttingDownGracefully && !Task.isCancelled {
            return
        }
    }

    /// In a task of its own, since that is what a shutdown can cancel without the caller's being cancelled.
    private func runInTask(isolation: isolated (any Actor)?) async throws {
        let running = Task {
            _ = isolation
            try await run()
        }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await running.value
        } onCancelOrGracefulShutdown: {
            running.cancel()
        }
    }
}
#endif
