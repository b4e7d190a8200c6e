#if ServiceLifecycle
public import ResourceManager
public import ServiceLifecycle

/// A host as a service, for a `ServiceGroup`.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [HostService(host), server],
///     gracefulShutdownSignals: [.sigterm],
///     logger: logger
/// )
/// try await group.run()
/// ```
///
/// Make it on the actor on which the host was made; it runs the host there, and keeps it alive. An actor that owns a host can be a
/// service by itself, with `runUntilGracefulShutdown()` of `ControllerHost`; its description applies here as well.
public struct HostService: Service {
    private let service: ControllerHost.Service

    /// A service that keeps the host alive, and runs it on the caller's actor.
    public init(_ host: ControllerHost, isolation: isolated any Actor = #isolation) {
        service = host.service()
    }

    /// Runs the host until the group shuts down gracefully.
    ///
    /// - Throws: `CancellationError` when the task is cancelled. `KernelError` if the process has no descriptor or thread
    ///   left to wait with.
    public func run() async throws {
        try await service.perform { host in try await host.runUntilGracefulShutdown() }
    }
}
#endif
