/// The delegate of a host for an actor, or for a type that belongs to another actor than the host.
///
/// ```swift
/// actor Search: AsyncControllerHostDelegate {
///     private let host = ControllerHost("search")
///     private var isBusy = false
///
///     func run() async throws {
///         host.asyncDelegate = self
///         try await host.run()
///     }
///
///     func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) { isBusy = true }
/// }
/// ```
///
/// Its methods have defaults that do nothing. ``ControllerHost/run()`` waits for each call that begins at once, for
/// 0.3 s at most, at critical for 0.15 s. ``ControllerHost/deliver(_:isolation:)`` blocks, and does not wait. A warning
/// that arrives while the delegate still handles an earlier one waits for the end of that call, and only the newest
/// warning waits; the same holds for outcomes.
public protocol AsyncControllerHostDelegate: AnyObject, Sendable {
    /// A warning has arrived, and no other part of the host has received it yet.
    ///
    /// - Parameters:
    ///   - name: The host's name; the host itself stays in its isolation.
    ///   - warning: The warning.
    func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) async

    /// All parts of the host have released memory, and the daemon is about to be answered.
    func controllerHost(_ name: String, didRelease release: MemoryRelease, for warning: MemoryWarning) async
}

extension AsyncControllerHostDelegate {
    /// Does nothing.
    public func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) async {}
    /// Does nothing.
    public func controllerHost(_ name: String, didRelease release: MemoryRelease, for warning: MemoryWarning) async {}
}
