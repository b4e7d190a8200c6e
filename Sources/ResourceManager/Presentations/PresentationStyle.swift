/// How a presented controller covers its presenter.
public enum PresentationStyle: String, Sendable, Hashable, CaseIterable {
    /// The presenter's whole tree leaves the window, and may be unloaded meanwhile: a maintenance mode, a migration.
    case fullScreen
    /// The presenter stays in service below: a backup that runs at the same time, an inspection.
    case overlay
}
