/// The one object in a service that decides for the whole of it: it hears of a memory warning before all others, and
/// of the outcome after them.
///
/// Every method has a default that does nothing. All are called in the host's isolation.
public protocol ControllerHostDelegate: AnyObject {
    /// A service was started from its storyboard; `window` has its root and is not visible yet (rule 1.12).
    func controllerHost(_ host: ControllerHost, didFinishLaunchingIn window: Window)

    /// A controller is to be made again that was on a stack before the restart (rule 5.40).
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - path: The restoration identifiers from the root down to the controller's.
    /// - Returns: The controller; `nil` to have it made from its storyboard, or left out if it came from none.
    func controllerHost(_ host: ControllerHost, controllerForRestorationPath path: [String]) -> ViewController?

    /// A warning has come, and no controller has been told yet.
    ///
    /// Called once a broadcast. The place for decisions about the whole process, such as refusing new work.
    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning)

    /// Controllers, observers and caches have given back what they could, and the daemon is about to be told.
    ///
    /// Called once a delivery that made a broadcast. The place to log or count.
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
