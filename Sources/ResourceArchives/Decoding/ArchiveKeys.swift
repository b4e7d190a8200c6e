/// The names that an object of the format may have; `docs/archive.schema.json` has the same, and a test compares them.
protocol ArchiveKey: RawRepresentable<String>, CaseIterable, Hashable {}

/// A nib's file.
enum NibKey: String, ArchiveKey {
    case schema = "$schema"
    case format, version, view, objects, outlets, actions
}

/// A storyboard's file.
enum StoryboardKey: String, ArchiveKey {
    case schema = "$schema"
    case format, version, initial, scenes
}

/// A saved state's file.
enum StateKey: String, ArchiveKey {
    case format, version, state
}

/// A scene; `view`, `objects`, `outlets` and `actions` are those of a nib.
enum SceneKey: String, ArchiveKey {
    case className = "class"
    case properties, variants, nib, view, objects, outlets, actions, children, segues
}

/// A segue.
enum SegueKey: String, ArchiveKey {
    case to, kind, style
}

/// A view.
enum ViewKey: String, ArchiveKey {
    case className = "class"
    case id, properties, subviews, variants
}

/// An object that is not a view.
enum ObjectKey: String, ArchiveKey {
    case className = "class"
    case id, properties, variants
}

/// An outlet in its long form.
enum OutletKey: String, ArchiveKey {
    case name, of, to
}

/// An action.
enum ActionKey: String, ArchiveKey {
    case name, from, event, to
}

/// A variant.
enum VariantKey: String, ArchiveKey {
    case when, properties, absent
}

/// A variant's condition.
enum ConditionKey: String, ArchiveKey {
    case mode, memoryClass, minimumCores, degraded
}
