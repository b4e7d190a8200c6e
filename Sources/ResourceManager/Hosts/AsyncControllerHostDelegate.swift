/// The delegate of a host that is an actor, or lives on another actor than the host.
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
/// Its methods have defaults that do nothing. ``ControllerHost/run()`` waits for each call, a second at most;
/// ``ControllerHost/deliver(_:isolation:)`` blocks and does not wait.
public protocol AsyncControllerHostDelegate: AnyObject, Sendable {
    /// A warning has come, and nothing else has been told yet.
    ///
    /// - Parameters:
    ///   - name: The host's name; the host itself stays where it is.
    ///   - warning: The warning.
    func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) async

    /// All have given back what they could, and the daemon is about to be told.
    func controllerHost(_ name: String, didRelease release: MemoryRelease, for warning: MemoryWarning) async
}

extension AsyncControllerHostDelegate {
    /// Does nothing.
    public func controllerHost(_ name: String, didReceiveMemoryWarning warning: MemoryWarning) async {}
    /// Does nothing.
    public func controllerHost(_ name: String, didRelease release: MemoryRelease, for warning: MemoryWarning) async {}
}
