import ResourceManager

/// Nibs and storyboards that a case defines itself.
struct ArchiveBundle: Sendable {
    struct Storyboard: Sendable {
        let archive: StoryboardArchive
        let scenes: [String: Scene]
    }

    /// The data about a scene that a test controller needs besides the archive.
    struct Scene: Sendable {
        let options: ControllerOptions
        let children: [NamedScene]
    }

    /// A controller that will be made, and its name.
    ///
    /// If `scene` is `nil`, the controller may come from any scene.
    struct NamedScene: Sendable {
        let scene: String?
        let name: String
    }

    let nibs: [String: NibArchive]
    let storyboards: [String: Storyboard]

    init(_ given: Fields) throws {
        var fields = given
        nibs = try fields.take("nibs") { try $0.object().mapValues(Self.nib) } ?? [:]
        storyboards =
            try fields.take("storyboards") { json in
                try Dictionary(uniqueKeysWithValues: json.object().map { ($0, try Self.storyboard($1, named: $0)) })
            } ?? [:]
        try fields.finish()
    }

    /// The class under which the controllers of a scene are registered.
    static func className(of scene: String, in storyboard: String) -> String { "\(storyboard)/\(scene)" }

    private static func nib(_ json: JSON) throws -> NibArchive {
        var fields = try Fields(json, of: "a nib")
        let objects = try fields.take("objects") { try $0.texts() } ?? []
        let outlets = try fields.take("outlets") { try $0.texts() } ?? []
        let actions = try fields.take("actions") { try $0.texts() } ?? []
        try fields.finish()
        // No object of a case can have this name.
        let rootID = "/"
        return NibArchive(
            view: ArchivedObject(id: rootID, className: TracedView.archiveName),
            objects: objects.map { name in
                ArchivedObject(
                    id: name,
                    className: TracedObject.archiveName,
                    properties: Properties(["name": .string(name)])
                )
            },
            // An outlet that has the name of no object refers to the root view.
            outlets: outlets.map { ArchivedOutlet(name: $0, destination: objects.contains($0) ? $0 : rootID) },
            actions: actions.map { ArchivedAction(name: $0) }
        )
    }

    private static func storyboard(_ json: JSON, named name: String) throws -> Storyboard {
        var fields = try Fields(json, of: "storyboard \(name)")
        let initial = try fields.take("initial") { try $0.textOrNull() } ?? nil
        let entries = try fields.take("scenes") { try $0.object() } ?? [:]
        try fields.finish()
        var scenes: [String: Scene] = [:]
        var archives: [String: SceneArchive] = [:]
        for (id, json) in entries {
            (scenes[id], archives[id]) = try scene(json, id, in: name)
        }
        return Storyboard(archive: StoryboardArchive(initialScene: initial, scenes: archives), scenes: scenes)
    }

    private static func scene(_ json: JSON, _ id: String, in storyboard: String) throws -> (Scene, SceneArchive) {
        var fields = try Fields(json, of: "scene \(id)")
        let view = try fields.take("view", viewSource)
        let segues = try fields.take("segues") { try $0.object().mapValues(segue) } ?? [:]
        let children = try fields.take("children") { try $0.list().map(child) } ?? []
        let options = try fields.take("opts") { try ControllerOptions(Fields($0, of: "opts")) } ?? ControllerOptions()
        try fields.finish()
        guard options.nibName == nil else { throw CaseProblem("scene \(id) says where its view is in view") }
        let archive = SceneArchive(
            className: className(of: id, in: storyboard),
            view: view,
            children: children.compactMap(\.scene),
            segues: segues
        )
        return (Scene(options: options, children: children), archive)
    }

    /// A nib that the scene defines itself, or the name of a nib.
    private static func viewSource(_ json: JSON) throws -> SceneArchive.ViewSource {
        if case .string(let name) = json { return .nib(name) }
        return .archive(try nib(json))
    }

    private static func child(_ json: JSON) throws -> NamedScene {
        let parts = try json.texts()
        guard parts.count == 2 else { throw CaseProblem("\(json) is not a scene and a name") }
        return NamedScene(scene: parts[0], name: parts[1])
    }

    private enum SegueKind: String {
        case push
        case present
    }

    private static func segue(_ json: JSON) throws -> SegueArchive {
        var fields = try Fields(json, of: "a segue")
        let destination = try fields.need("to") { try $0.text() }
        let kind: SegueKind = try fields.take("kind") { try $0.choice() } ?? .push
        let style: PresentationStyle = try fields.take("style") { try $0.choice() } ?? .fullScreen
        try fields.finish()
        return SegueArchive(to: destination, kind: kind.rawValue, style: style)
    }
}

extension ArchiveBundle: ArchiveSource {
    func nib(named name: String) -> NibArchive? { nibs[name] }
    func storyboard(named name: String) -> StoryboardArchive? { storyboards[name]?.archive }
}
