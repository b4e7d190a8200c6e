import ResourceManager

/// Maintenance: covers the whole service, whose index a warning may take meanwhile, and has the window in its mode.
final class MaintenanceController: ViewController {
    override class var actions: Actions { super.actions.adding("back", MaintenanceController.back) }

    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        MaintenancePresentation(presented: self, presenting: presenter, style: style)
    }

    /// `back`: ends it, and the index comes back.
    private func back(_ command: Command) { dismiss() }
}
