/// What a controller does with its view at a memory warning unless its class says otherwise.
public enum ReleasePolicy: Sendable, Hashable {
    /// A view that is off window is unloaded, and loaded again at the next access.
    ///
    /// What UIKit did up to iOS 5, and right for most services: the view is the expensive part, and no user waits in
    /// front of a blank screen while it is made again.
    case unload
    /// Views stay; only the backings of views that are off window are discarded.
    ///
    /// What UIKit does since iOS 6. A controller that wants to give its view up as well says so in
    /// ``ViewController/didReceiveMemoryWarning()``, with ``ViewController/releaseViewIfOffWindow()``.
    case keep
}
