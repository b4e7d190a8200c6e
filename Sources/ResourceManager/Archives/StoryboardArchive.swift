/// The contents of a storyboard: its controllers, how they contain each other, and the segues between them.
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
    /// The properties that the controller's `init(coder:)` reads.
    public var properties: Properties
    /// Differences for some environments, in order: of the variants that apply, the last one wins.
    public var variants: [ArchiveVariant]
    /// Where the view is archived; without it the controller's own `loadView()` makes it.
    public var view: ViewSource?
    /// The scenes of the controllers that it contains, in order.
    public var children: [String]
    /// The segues that start here, by their identifiers.
    public var segues: [String: SegueArchive]

    /// Where a scene's view is archived.
    public indirect enum ViewSource: Sendable, Hashable {
        /// In the storyboard itself.
        case archive(NibArchive)
        /// In the nib of this name.
        case nib(String)
    }

    /// A scene; by default a plain controller.
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

/// Where a host finds its archives: in files, in data of the program, in the memory of a test.
///
/// `ResourceArchives` provides one that reads JSON files; the library itself knows no format.
public protocol ArchiveSource {
    /// The nib of this name; `nil` if there is none.
    ///
    /// - Throws: If the nib exists and cannot be read.
    func nib(named name: String) throws -> NibArchive?

    /// The storyboard of this name; `nil` if there is none.
    ///
    /// - Throws: If the storyboard exists and cannot be read.
    func storyboard(named name: String) throws -> StoryboardArchive?
}
