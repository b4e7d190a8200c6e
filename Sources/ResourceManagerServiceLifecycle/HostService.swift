#if ServiceLifecycle
public import ResourceManager
public import ServiceLifecycle

/// A host of the main actor as a service, for a `ServiceGroup`.
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
/// An actor that owns a host is a service by itself, with ``ResourceManager/ControllerHost/runUntilGracefulShutdown()``;
/// its description applies here as well.
@MainActor
public final class HostService: Service {
    private let host: ControllerHost

    /// Creates a service that keeps the host alive and runs it on the main actor.
    public init(_ host: ControllerHost) {
        self.host = host
    }

    /// Runs the host until the group shuts down gracefully.
    ///
    /// - Throws: `CancellationError` when the task is cancelled. `KernelError` if the process has no descriptor or thread
    ///   left to wait with.
    public func run() async throws {
        try await host.runUntilGracefulShutdown()
    }
}
#endif
