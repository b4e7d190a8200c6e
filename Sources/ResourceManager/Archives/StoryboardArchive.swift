/// What a storyboard says: controllers, how they contain each other and lead to each other.
public struct StoryboardArchive: Sendable, Hashable {
    /// The identifier of the scene to start with, if there is one.
    public var initialScene: String?
    /// The scenes, by their identifiers.
    public var scenes: [String: SceneArchive]

    /// A storyboard of these scenes.
    public init(initialScene: String? = nil, scenes: [String: SceneArchive] = [:]) {
        self.initialScene = initialScene
        self.scenes = scenes
    }
}

/// One controller of a storyboard.
public struct SceneArchive: Sendable, Hashable {
    /// The name under which the controller's class is registered with the host's ``ClassRegistry``.
    public var className: String
    /// What the controller's `init(coder:)` finds.
    public var properties: Properties
    /// What is different in some environments, in order: a later one that applies wins.
    public var variants: [ArchiveVariant]
    /// Where the view is archived; without it the controller's own `loadView()` makes it.
    public var view: ViewSource?
    /// The scenes of the controllers that it contains, in order.
    public var children: [String]
    /// The transitions that start here, by their identifiers.
    public var segues: [String: SegueArchive]

    /// Where a scene's view is archived.
    public indirect enum ViewSource: Sendable, Hashable {
        /// In the storyboard itself.
        case archive(NibArchive)
        /// In the nib of this name.
        case nib(String)
    }

    /// A scene; by default of a plain controller.
    public init(
        className: String = "ViewController",
        properties: Properties = Properties(),
        variants: [ArchiveVariant] = [],
        view: ViewSource? = nil,
        children: [String] = [],
        segues: [String: SegueArchive] = [:]
    ) {
        self.className = className
        self.properties = properties
        self.variants = variants
        self.view = view
        self.children = children
        self.segues = segues
    }
}

/// A transition from one scene to another.
public struct SegueArchive: Sendable, Hashable {
    /// The scene that it leads to.
    public var destination: String
    /// `push`, `present`, or a kind that is registered with the host's ``ClassRegistry``.
    public var kind: String
    /// How a `present` covers the presenter.
    public var style: PresentationStyle

    /// A segue.
    public init(to destination: String, kind: String = "push", style: PresentationStyle = .fullScreen) {
        self.destination = destination
        self.kind = kind
        self.style = style
    }
}

/// Where a host finds its archives: in files, in a program's own data, in a test's memory.
///
/// `ResourceArchives` brings one that reads JSON files; the library itself knows no format.
public protocol ArchiveSource {
    /// The nib of this name; `nil` if there is none.
    ///
    /// - Throws: If there is one that cannot be read.
    func nib(named name: String) throws -> NibArchive?

    /// The storyboard of this name; `nil` if there is none.
    ///
    /// - Throws: If there is one that cannot be read.
    func storyboard(named name: String) throws -> StoryboardArchive?
}
