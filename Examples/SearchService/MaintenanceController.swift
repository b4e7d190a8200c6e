import ResourceManager

/// Maintenance: covers the whole service, whose index a warning may take meanwhile, and sets the window's mode.
final class MaintenanceController: ViewController {
    override class var actions: Actions { super.actions.adding("back", MaintenanceController.back) }

    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        MaintenancePresentation(presented: self, presenting: presenter, style: style)
    }

    /// `back`: ends the maintenance, and the index returns to service.
    private func back(_ command: Command) { dismiss() }
}
