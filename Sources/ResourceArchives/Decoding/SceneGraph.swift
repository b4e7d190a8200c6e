internal import MemwarnProtocol
internal import ResourceManager

/// The containment of the scenes of a storyboard, and the segues between them.
struct SceneGraph {
    /// The decoder's own array, so that it is in memory once.
    private let scenes: [(name: String, value: ArchiveValue)]
    private let numbers: [String: Int32]
    /// The controllers and views of each scene without its children.
    private var own: [Int]
    private var children: [[Int32]]
    /// The marks of these children in the text.
    private var childMarks: [[Int32]]
    private var segues: [[Int32]]

    /// Creates a graph with scenes only.
    init(_ scenes: [(name: String, value: ArchiveValue)]) {
        self.scenes = scenes
        var numbers = [String: Int32](minimumCapacity: scenes.count)
        for (number, scene) in scenes.enumerated() { numbers[scene.name] = Int32(number) }
        self.numbers = numbers
        own = Array(repeating: 1, count: scenes.count)
        children = Array(repeating: [], count: scenes.count)
        childMarks = children
        segues = children
    }

    /// The views and objects of a scene.
    mutating func add(objects: Int, to scene: Int) {
        own[scene] += objects
    }

    mutating func contain(_ child: String, in scene: Int, at value: ArchiveValue) {
        guard let number = number(of: child, at: value) else { return }
        children[scene].append(number)
        childMarks[scene].append(Int32(value.node.index))
    }

    mutating func lead(to target: String, from scene: Int, at value: ArchiveValue) {
        if let number = number(of: target, at: value) { segues[scene].append(number) }
    }

    /// The number of a scene; a name without a scene is a problem.
    private func number(of id: String, at value: ArchiveValue) -> Int32? {
        if let number = numbers[id] { return number }
        value.report("no scene \(id.quotedForMessage)\(value.log.hint(for: id, among: scenes.map(\.name)))")
        return nil
    }

    /// Records cycles of scenes that contain each other, scenes that are too large to be instantiated, and scenes that
    /// cannot be reached from the initial one.
    func check(initial: ArchiveValue?) {
        let sizes = SceneSizes(own: own, children: children, ring: report)
        for scene in sizes.excessive {
            scenes[scene].value.report("with all that it contains it stands for \(ArchiveLimits.tooManyObjects)")
        }
        for scene in sizes.tooDeep {
            let depth = ArchiveLimits.scenesDeep
            scenes[scene].value.report("from here on, scenes lie in each other more than \(depth) deep")
        }
        if let initial, case .string(let id) = initial.node.value, !id.isEmpty,
            let start = number(of: id, at: initial)
        {
            reportUnreachable(from: Int(start))
        }
    }

    /// Records that a scene contains itself; the message shows the beginning of a long path.
    private func report(_ ring: SceneSizes.Ring) {
        let scene = scenes[ring.scene].value
        let child = JSONNode(text: scene.node.text, index: Int(childMarks[ring.scene][ring.child]))
        ArchiveValue(node: child, log: scene.log).report(
            {
                let way = ring.way()
                let shown = way.prefix(8).map { scenes[$0].name.shownInMessage }
                let rest = way.count > shown.count ? ["… \(way.count - shown.count) more …"] : []
                let first = scenes[way[0]].name
                let names = (shown + rest + [first.shownInMessage]).joined(separator: " → ")
                return "\(first.quotedForMessage) would contain itself: \(names)"
            }()
        )
    }

    private func reportUnreachable(from start: Int) {
        var reached = Array(repeating: false, count: scenes.count)
        reached[start] = true
        var open = [start]
        while let scene = open.popLast() {
            for target in [children[scene], segues[scene]].joined() where !reached[Int(target)] {
                reached[Int(target)] = true
                open.append(Int(target))
            }
        }
        for scene in scenes.indices where !reached[scene] {
            scenes[scene].value.report(
                "no child or segue leads here from \(scenes[start].name.quotedForMessage); only code that names it can instantiate it",
                .warning
            )
        }
    }
}
