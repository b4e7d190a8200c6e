/// The one object in a service that hears of a memory warning before everybody else, and of the outcome after them.
///
/// Every method has a default that does nothing. All are called in the host's isolation, and from inside
/// ``ControllerHost/deliver(_:)``.
public protocol ControllerHostDelegate: AnyObject {
    /// A warning has come, and no controller has been told yet.
    ///
    /// Called once a broadcast. The place for decisions about the whole process, such as refusing new work.
    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning)

    /// Everybody has given back what they could, and the daemon is about to be told.
    ///
    /// Called once a delivery that made a broadcast. The place to log or count.
    func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning)
}

extension ControllerHostDelegate {
    /// Does nothing.
    public func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {}

    /// Does nothing.
    public func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning) {}
}
