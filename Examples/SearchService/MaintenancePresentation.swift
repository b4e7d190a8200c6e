import ResourceManager

/// Changes the window's mode before maintenance appears, and restores it when the index serves again.
final class MaintenancePresentation: PresentationController {
    override func presentationTransitionWillBegin() { window?.changeMode(to: "maintenance") }

    override func dismissalTransitionDidEnd() { window?.changeMode(to: .normal) }

    /// At both times the presenter is on window.
    private var window: Window? { presentingViewController?.viewIfLoaded?.window }
}
