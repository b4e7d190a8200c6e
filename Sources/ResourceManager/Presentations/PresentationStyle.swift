/// How a presented controller covers the one that presents it.
public enum PresentationStyle: String, Sendable, Hashable, CaseIterable {
    /// The presenter's whole tree leaves the window, and may be unloaded meanwhile: a maintenance mode, a migration.
    case fullScreen
    /// The presenter stays in service below it: a backup that runs beside it, an inspection.
    case overlay
}
