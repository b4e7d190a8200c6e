#if ServiceLifecycle
public import ResourceManager
internal import ServiceLifecycle

extension ControllerHost {
    /// Runs the host like `run()`, and returns when its service group shuts down gracefully.
    ///
    /// With it, an actor that owns a host can be a `Service`:
    ///
    /// ```swift
    /// actor Gallery: Service {
    ///     private let host = ControllerHost("gallery")
    ///     func run() async throws { try await host.runUntilGracefulShutdown() }
    /// }
    /// ```
    ///
    /// It runs in the caller's isolation, together with everything that it calls. Before it returns, the closures
    /// that were passed to `save(_:)` have run. Views in service have not saved by then: hide their windows afterwards,
    /// and wait with `finishSaves()` of the host. Outside a service group it is the same as `run()`. List it before the
    /// services that use the host's controllers: a group ends its services in reverse order.
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

    /// Runs in a separate task, which a shutdown can cancel without cancelling the caller.
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
