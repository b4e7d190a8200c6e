/// The one object in a service that hears of a memory warning before everybody else.
public protocol ControllerHostDelegate: AnyObject {
    /// A warning has come, and no controller has been told yet.
    ///
    /// Called in the host's isolation, once a broadcast. The place for decisions about the whole process, such as
    /// refusing new work.
    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning)
}
