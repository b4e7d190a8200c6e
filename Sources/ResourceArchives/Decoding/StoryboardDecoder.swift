internal import MemwarnProtocol
internal import ResourceManager

/// Decodes the scenes of a storyboard.
struct StoryboardDecoder {
    /// The nibs that there are; `nil` if that is not known.
    private let nibs: Set<String>?
    private var graph = SceneGraph()

    static func storyboard(_ section: ArchiveSection<StoryboardKey>, nibs: Set<String>?) -> StoryboardArchive {
        var decoder = Self(nibs: nibs)
        var storyboard = StoryboardArchive()
        let scenes = section.required(.scenes, "say which scenes there are")?.entries() ?? []
        let initial = section[.initial]
        storyboard.initialScene = initial?.text("a scene's identifier")
        for (id, value) in scenes {
            decoder.graph.add(id, value)
            storyboard.scenes[id] = decoder.scene(value, id: id, isInitial: id == storyboard.initialScene)
        }
        decoder.graph.check(initial: initial)
        return storyboard
    }

    private init(nibs: Set<String>?) {
        self.nibs = nibs
    }

    private mutating func scene(_ value: ArchiveValue, id: String, isInitial: Bool) -> SceneArchive {
        var scene = SceneArchive()
        guard let section = value.section(SceneKey.self) else { return scene }
        scene.className = section[.className]?.text() ?? scene.className
        scene.properties = section[.properties]?.properties() ?? scene.properties
        scene.variants = section[.variants]?.variants(ofWhatHasToBe: isInitial ? "the initial scene" : nil) ?? []
        scene.view = view(section)
        for child in section[.children]?.elements() ?? [] {
            guard let name = child.text("a scene's identifier") else { continue }
            scene.children.append(name)
            graph.contain(name, in: id, at: child)
        }
        for (name, value) in section[.segues]?.entries() ?? [] {
            scene.segues[name] = segue(value, from: id)
        }
        return scene
    }

    private func view(_ section: ArchiveSection<SceneKey>) -> SceneArchive.ViewSource? {
        let inline: [SceneKey] = [.view, .objects, .outlets, .actions]
        let nib = NibDecoder.nib(
            view: section[.view],
            objects: section[.objects],
            outlets: section[.outlets],
            actions: section[.actions]
        )
        if let value = section[.nib] {
            for key in inline {
                section[key]?.report("this scene has its view from a nib; put this into the nib, or leave \"nib\" out")
            }
            return value.text("a nib's name").map {
                if let nibs, !nibs.contains($0) {
                    let hint = Spelling.hint(for: $0, among: nibs)
                    value.report("no nib \"\($0)\" among the files or beside this one\(hint)")
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
    private mutating func segue(_ value: ArchiveValue, from id: String) -> SegueArchive? {
        if case .string = value.node.value {
            guard let destination = value.text() else { return nil }
            graph.lead(to: destination, from: id, at: value)
            return SegueArchive(to: destination)
        }
        guard let section = value.section(SegueKey.self),
            let target = section.required(.to, "say to which scene it leads"),
            let destination = target.text("a scene's identifier")
        else { return nil }
        graph.lead(to: destination, from: id, at: target)
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
