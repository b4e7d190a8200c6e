extension ControllerHost {
    /// The host as a value that can be passed to another task, and that runs the host on the actor of its controllers.
    ///
    /// ```swift
    /// let service = host.service()
    /// try await withThrowingTaskGroup(of: Void.self) { group in
    ///     group.addTask { try await service.run() }
    ///     group.addTask { try await server.run() }
    ///     try await group.next()
    ///     group.cancelAll()
    /// }
    /// ```
    ///
    /// Call it on the actor on which the host was made, the main actor for instance. Without an actor to run the host
    /// on, the call does not compile. A host without controllers can be made and run in the task itself:
    /// `group.addTask { try await ControllerHost("search").run() }`.
    public func service(isolation: isolated any Actor = #isolation) -> Service {
        Service(self, on: isolation)
    }

    /// Runs a host on its actor, from any task; made by ``ControllerHost/service(isolation:)``.
    ///
    /// Keeps the host alive.
    public struct Service: Sendable {
        /// The name of the host.
        public let name: String
        private let kept: KeptHost

        init(_ host: ControllerHost, on actor: any Actor) {
            name = host.name
            kept = KeptHost(host, on: actor)
        }

        /// Runs the host as ``ControllerHost/run()`` does, on the host's actor.
        ///
        /// - Throws: `CancellationError` when the task is cancelled. `KernelError` if the process has no descriptor or
        ///   thread left to wait with.
        public func run() async throws {
            try await kept.perform { host in try await host.run() }
        }

        /// Calls `body` with the host, on the host's actor.
        package func perform(
            _ body: nonisolated(nonsending) @Sendable (ControllerHost) async throws -> Void
        ) async throws {
            try await kept.perform(body)
        }
    }
}

/// A host that is kept alive from any thread, but used and released on its actor only.
private final class KeptHost: Sendable {
    private let actor: any Actor
    // Read on the actor only. Unmanaged, since this object may be destroyed on any thread and the host may not.
    private nonisolated(unsafe) let host: Unmanaged<ControllerHost>

    init(_ host: ControllerHost, on actor: any Actor) {
        self.actor = actor
        self.host = .passRetained(host)
    }

    deinit {
        // From here on, this is the host's only user.
        nonisolated(unsafe) let host = host
        Task { [actor] in await Self.release(host, on: actor) }
    }
    func perform(_ body: nonisolated(nonsending) @Sendable (ControllerHost) async throws -> Void) async throws {
        try await perform(body, on: actor)
    }

    private func perform(
        _ body: nonisolated(nonsending) @Sendable (ControllerHost) async throws -> Void,
        on actor: isolated any Actor
    ) async throws {
        try await body(host.takeUnretainedValue())
    }

    private static func release(_ host: sending Unmanaged<ControllerHost>, on actor: isolated any Actor) {
        host.release()
    }
}
