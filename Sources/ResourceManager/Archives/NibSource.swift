/// Where a controller's default `loadView()` looks for its view.
enum NibSource {
    /// By the name of the class; a missing nib is not a fault (rules 1.6, 1.7).
    case inferred
    /// In the nib of this name (rule 1.5).
    case named(String)
    /// In the place that the storyboard scene names (rule 1.8).
    case scene(Scene)

    /// Whether the service has named an archive.
    var isGiven: Bool {
        switch self {
        case .inferred: false
        case .named: true
        case .scene(let scene): scene.archive.view != nil
        }
    }
}

/// A scene of a storyboard, as its controllers remember it (rule 1.16).
final class Scene {
    let storyboard: Storyboard
    let identifier: String
    let archive: SceneArchive

    init(storyboard: Storyboard, identifier: String, archive: SceneArchive) {
        self.storyboard = storyboard
        self.identifier = identifier
        self.archive = archive
    }
}

extension String {
    /// A class's name without its module.
    var unqualified: String { split(separator: ".").last.map(String.init) ?? self }
}
