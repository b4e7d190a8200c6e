internal import MemwarnProtocol
internal import ResourceManager

/// Decodes the scenes of a storyboard.
struct StoryboardDecoder {
    /// The existing nibs; `nil` if they are unknown.
    private let nibs: Set<String>?
    private var graph: SceneGraph
    /// The number of scenes, views and objects.
    private var size = 0

    static func storyboard(_ section: ArchiveSection<StoryboardKey>, nibs: Set<String>?) -> StoryboardArchive {
        var storyboard = StoryboardArchive()
        let value = section.required(.scenes, "say which scenes there are")
        let scenes = value.map { Array($0.entries().prefix(ArchiveLimits.objects + 1)) } ?? []
        let initial = section[.initial]
        storyboard.initialScene = initial?.text("a scene's identifier")
        storyboard.scenes.reserveCapacity(scenes.count)
        // All scenes are registered before the first is decoded: scenes refer to each other.
        var decoder = Self(nibs: nibs, graph: SceneGraph(scenes))
        for (number, (id, value)) in scenes.enumerated() {
            storyboard.scenes[id] = decoder.scene(value, number: number, isInitial: id == storyboard.initialScene)
            guard decoder.size <= ArchiveLimits.objects else {
                value.report("up to here there are more than \(ArchiveLimits.objects) scenes, views and objects")
                return storyboard
            }
        }
        decoder.graph.check(initial: initial)
        return storyboard
    }

    private mutating func scene(_ value: ArchiveValue, number: Int, isInitial: Bool) -> SceneArchive {
        var scene = SceneArchive()
        size += 1
        guard let section = value.section(SceneKey.self) else { return scene }
        scene.className = section[.className]?.text() ?? scene.className
        scene.properties = section[.properties]?.properties() ?? scene.properties
        scene.variants = section[.variants]?.variants(ofWhatHasToBe: isInitial ? "the initial scene" : nil) ?? []
        scene.view = view(section, of: number)
        if let children = section[.children] {
            for child in children.elements() {
                guard let name = child.text("a scene's identifier") else { continue }
                scene.children.append(name)
                graph.contain(name, in: number, at: child)
            }
        }
        if let segues = section[.segues] {
            let entries = segues.entries()
            scene.segues.reserveCapacity(entries.count)
            for (name, value) in entries { scene.segues[name] = segue(value, from: number) }
        }
        return scene
    }

    private mutating func view(_ section: ArchiveSection<SceneKey>, of scene: Int) -> SceneArchive.ViewSource? {
        let inline: [SceneKey] = [.view, .objects, .outlets, .actions]
        var decoder = NibDecoder()
        let nib = decoder.nib(
            view: section[.view],
            objects: section[.objects],
            outlets: section[.outlets],
            actions: section[.actions]
        )
        graph.add(objects: decoder.size, to: scene)
        size += decoder.size
        if let value = section[.nib] {
            for key in inline {
                section[key]?.report("this scene has its view from a nib; put this into the nib, or leave \"nib\" out")
            }
            return value.text("a nib's name").map {
                if let nibs, !nibs.contains($0) {
                    let hint = value.log.hint(for: $0, among: nibs)
                    value.report("no nib \($0.quotedForMessage) among the files or beside this one\(hint)")
                }
                return .nib($0)
            }
        }
        guard section[.view] != nil else {
            for key in inline { section[key]?.report("belongs to a view; say \"view\" beside it, if only {}") }
            return nil
        }
        return .archive(nib)
    }

    /// A segue: an object, or just the scene that it pushes.
    private mutating func segue(_ value: ArchiveValue, from scene: Int) -> SegueArchive? {
        if value.node.isString {
            guard let destination = value.text() else { return nil }
            graph.lead(to: destination, from: scene, at: value)
            return SegueArchive(to: destination)
        }
        guard let section = value.section(SegueKey.self),
            let target = section.required(.to, "say to which scene it leads"),
            let destination = target.text("a scene's identifier")
        else { return nil }
        graph.lead(to: destination, from: scene, at: target)
        var segue = SegueArchive(to: destination)
        segue.kind = section[.kind]?.text() ?? segue.kind
        if let style = section[.style] {
            segue.style = style.choice(PresentationStyle.self) ?? segue.style
            if segue.kind == "push" {
                style.report("a push has no style; say \"kind\": \"present\" if it is one", .warning)
            }
        }
        return segue
    }
}
