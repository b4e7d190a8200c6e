/// The object in a service that decides for the whole service: it receives a memory warning first, and the outcome
/// last.
///
/// Every method has a default that does nothing. All are called in the host's isolation.
public protocol ControllerHostDelegate: AnyObject {
    /// A service was started from its storyboard; `window` has its root and is not visible yet (rule 1.12).
    func controllerHost(_ host: ControllerHost, didFinishLaunchingIn window: Window)

    /// A controller that was on a stack before the restart has to be made again (rule 5.40).
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - path: The restoration identifiers from the root down to the controller's.
    /// - Returns: The controller; with `nil` it is made from its storyboard, or left out if it came from none.
    func controllerHost(_ host: ControllerHost, controllerForRestorationPath path: [String]) -> ViewController?

    /// A warning has arrived, and no controller has received it yet.
    ///
    /// Called once for each broadcast. Use it for decisions about the whole process, such as refusing new work.
    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning)

    /// Controllers, observers and caches have released memory, and the daemon is about to be answered.
    ///
    /// Called once for each delivery that made a broadcast. Use it to log or count. The delivery is over: a warning that
    /// is delivered or simulated here is a new delivery, which ends with this call again, so do not do that each time.
    func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning)
}

extension ControllerHostDelegate {
    /// Does nothing.
    public func controllerHost(_ host: ControllerHost, didFinishLaunchingIn window: Window) {}

    /// Returns `nil`.
    public func controllerHost(
        _ host: ControllerHost,
        controllerForRestorationPath path: [String]
    ) -> ViewController? {
        nil
    }

    /// Does nothing.
    public func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {}

    /// Does nothing.
    public func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning) {}
}
