/// What a controller does with its view at a memory warning, unless its class overrides it.
public enum ReleasePolicy: Sendable, Hashable {
    /// A view that is off window is unloaded, and loaded again at the next access.
    ///
    /// This is what UIKit did up to iOS 5. It is right for most services: the view is the expensive part, and no user
    /// looks at a blank screen while it is made again.
    case unload
    /// Views stay; only the backings of views that are off window are discarded.
    ///
    /// This is what UIKit has done since iOS 6. A controller that also releases its view calls
    /// ``ViewController/releaseViewIfOffWindow()`` in ``ViewController/didReceiveMemoryWarning()``.
    case keep
}
