/// The size of each scene of a storyboard when it is instantiated, found in time proportional to the scenes and
/// children.
///
/// Scenes are numbers here. A child that is listed twice is made twice.
package struct SceneSizes {
    /// A child that contains the scene that lists it.
    package struct Ring {
        /// The scene that lists the child.
        package let scene: Int
        /// The child's place in that list.
        package let child: Int
        /// Computes the scenes from the child down to the scene that lists it.
        package let way: () -> [Int]
    }

    /// The controllers and views that each scene makes; the count stops one above the limit.
    package private(set) var objects: [Int]
    /// How many levels of scenes each scene contains, including itself.
    package private(set) var depths: [Int]

    private let children: [[Int32]]
    /// In a ring, sizes are not defined.
    private var hasRing = false

    /// - Parameters:
    ///   - own: The controllers and views of each scene without its children.
    ///   - children: The children of each scene.
    ///   - ring: Called with each ring of scenes that contain each other.
    package init(own: [Int], children: [[Int32]], ring: (Ring) -> Void) {
        objects = own
        depths = Array(repeating: 1, count: own.count)
        self.children = children
        var state = Array(repeating: State.new, count: own.count)
        for scene in own.indices where state[scene] == .new { walk(from: scene, &state, ring) }
    }

    /// The scenes that exceed the limit although none of their children does; empty if there is a ring.
    package var excessive: [Int] {
        guard !hasRing else { return [] }
        return objects.indices.filter { scene in
            objects[scene] > ArchiveLimits.instantiated
                && !children[scene].contains { objects[Int($0)] > ArchiveLimits.instantiated }
        }
    }

    /// The scenes that are exactly one level too deep; empty if there is a ring.
    package var tooDeep: [Int] {
        hasRing ? [] : depths.indices.filter { depths[$0] == ArchiveLimits.scenesDeep + 1 }
    }

    private enum State: UInt8 { case new, onWay, done }

    /// Visits the scenes below one without recursion, since a file may nest them to any depth.
    private mutating func walk(from scene: Int, _ state: inout [State], _ ring: (Ring) -> Void) {
        var way = [(scene: scene, next: 0)]
        state[scene] = .onWay
        while let (scene, next) = way.last {
            guard next < children[scene].count else {
                way.removeLast()
                state[scene] = .done
                sum(scene)
                continue
            }
            way[way.count - 1].next += 1
            let child = Int(children[scene][next])
            switch state[child] {
            case .new:
                way.append((child, 0))
                state[child] = .onWay
            case .onWay:
                hasRing = true
                ring(Ring(scene: scene, child: next) { [way] in Array(way.map(\.scene).drop { $0 != child }) })
            case .done: break
            }
        }
    }

    /// Adds up the size of a scene whose children are done.
    private mutating func sum(_ scene: Int) {
        for child in children[scene] {
            objects[scene] = min(objects[scene] + objects[Int(child)], ArchiveLimits.instantiated + 1)
            depths[scene] = max(depths[scene], depths[Int(child)] + 1)
        }
    }
}

extension StoryboardArchive {
    /// The limit that the storyboard exceeds, or its ring, in words; `nil` if each of its scenes can be instantiated.
    var excess: String? {
        let names = scenes.keys.sorted()
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Int32($0)) })
        let archives = names.compactMap { scenes[$0] }
        let own = archives.map(\.objectCount)
        guard own.reduce(0, +) <= ArchiveLimits.objects else {
            return "it has more than \(ArchiveLimits.objects) scenes, views and objects"
        }
        for (name, archive) in zip(names, archives) {
            if case .archive(let nib) = archive.view, let excess = nib.excess { return "scene \"\(name)\": \(excess)" }
        }
        var ring: String?
        let sizes = SceneSizes(own: own, children: archives.map { $0.children.compactMap { numbers[$0] } }) { found in
            // The way is long in a deep archive, and there may be as many rings as scenes.
            if ring == nil { ring = "the scene \"\(names[found.way()[0]])\" would contain itself" }
        }
        if let ring { return ring }
        if let scene = sizes.excessive.first {
            return "the scene \"\(names[scene])\" stands for \(ArchiveLimits.tooManyObjects)"
        }
        return sizes.tooDeep.first.map {
            "from \"\(names[$0])\" on, scenes lie in each other more than \(ArchiveLimits.scenesDeep) deep"
        }
    }
}

extension SceneArchive {
    /// The controller and the objects of its view, if the view is archived here.
    fileprivate var objectCount: Int {
        guard case .archive(let nib) = view else { return 1 }
        return 1 + nib.objectCount
    }
}

extension ArchiveLimits {
    package static var tooManyObjects: String { "more than \(instantiated) controllers, views and objects" }
}
