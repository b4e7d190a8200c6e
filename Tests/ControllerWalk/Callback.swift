import ResourceManager

/// A callback in which the walk may do something.
///
/// Those that ``LifecycleEvent`` has come of every controller, by their names; the others of what the walk makes itself.
package enum Callback: String, CaseIterable, Sendable {
    case loadView, viewDidLoad, viewWillAppear, viewDidAppear, viewWillDisappear, viewDidDisappear
    case viewWillLayoutSubviews, viewDidLayoutSubviews, didReceiveMemoryWarning, viewWillUnload, viewDidUnload, degrade
    case willMove, didMove, willTransition, didTransition, prepare, `deinit`
    case saveViewState, restoreViewState, encode, decode, row
    case presentationWillBegin, presentationDidEnd, dismissalWillBegin, dismissalDidEnd, containerLayout
    case willShow, didShow, hostDelegate, completion

    /// The one that an event announces; `nil` for those in which the walk does nothing.
    init?(_ event: LifecycleEvent) { self.init(rawValue: event.kind.rawValue) }
}
