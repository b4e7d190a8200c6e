internal import MemwarnProtocol

/// How the scenes of a storyboard contain each other and lead to each other.
struct SceneGraph {
    private struct Edge {
        let target: String
        let value: ArchiveValue
    }

    private var scenes: [(id: String, value: ArchiveValue)] = []
    private var children: [String: [Edge]] = [:]
    private var segues: [String: [Edge]] = [:]

    mutating func add(_ id: String, _ value: ArchiveValue) {
        scenes.append((id, value))
    }

    mutating func contain(_ child: String, in parent: String, at value: ArchiveValue) {
        children[parent, default: []].append(Edge(target: child, value: value))
    }

    mutating func lead(to target: String, from source: String, at value: ArchiveValue) {
        segues[source, default: []].append(Edge(target: target, value: value))
    }

    /// Notes references to scenes that are not there, rings of scenes that contain each other, and scenes that nothing
    /// leads to from the initial one.
    func check(initial: ArchiveValue?) {
        let known = Set(scenes.map(\.id))
        var references = (Array(children.values) + Array(segues.values)).joined().map { $0 }
        var start: String?
        if let initial, case .string(let id) = initial.node.value, !id.isEmpty {
            references.append(Edge(target: id, value: initial))
            start = id
        }
        for edge in references where !known.contains(edge.target) {
            edge.value.report("no scene \"\(edge.target)\"\(Spelling.hint(for: edge.target, among: known))")
        }
        reportRings()
        if let start, known.contains(start) { reportUnreachable(from: start) }
    }

    /// Goes down from each scene, without recursion: a file may have as many scenes in each other as it likes.
    private func reportRings() {
        var done: Set<String> = []
        for scene in scenes where !done.contains(scene.id) {
            var way = [(id: scene.id, next: 0)]
            var onWay: Set = [scene.id]
            while let (id, next) = way.last {
                guard let edges = children[id], next < edges.count else {
                    way.removeLast()
                    onWay.remove(id)
                    done.insert(id)
                    continue
                }
                way[way.count - 1].next += 1
                let edge = edges[next]
                if onWay.contains(edge.target) {
                    let ring = way.map(\.id).drop { $0 != edge.target } + [edge.target]
                    edge.value.report("\"\(edge.target)\" would contain itself: \(ring.joined(separator: " → "))")
                } else if !done.contains(edge.target) {
                    way.append((edge.target, 0))
                    onWay.insert(edge.target)
                }
            }
        }
    }

    private func reportUnreachable(from start: String) {
        var reached: Set = [start]
        var open = [start]
        while let id = open.popLast() {
            for edge in (children[id] ?? []) + (segues[id] ?? []) where reached.insert(edge.target).inserted {
                open.append(edge.target)
            }
        }
        for scene in scenes where !reached.contains(scene.id) {
            scene.value.report(
                "no child or segue leads here from \"\(start)\"; only code that names it can instantiate it",
                .warning
            )
        }
    }
}
