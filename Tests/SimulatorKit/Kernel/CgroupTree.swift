import MemoryPressure

/// The cgroups of the modelled machine; the first is the root of the hierarchy, which is the machine itself.
struct CgroupTree {
    typealias Node = Int
    static let root: Node = 0

    /// A cgroup's limits in bytes.
    struct Limits {
        /// `memory.high` and `memory.max`; infinite if they are not set.
        ///
        /// The root's `max` is the machine's memory.
        var high = Double.infinity
        var max = Double.infinity
        /// The maximum of anonymous memory in swap: `memory.swap.max`.
        var swap = 0.0

        /// The target of reclaim: the tighter of the limits.
        var tightest: Double { high < max ? high : max }
    }

    /// A cgroup, with the settings made from outside.
    struct Cgroup {
        let path: String
        let parent: Node
        var limits = Limits()
        /// `cgroup.pressure`.
        var countsStalls = true
        var exists = true
    }

    private(set) var all: [Cgroup]
    private(set) var places: [SensorPlace]
    private var nodes: [String: Node]
    private let version: MemoryCgroup.Version

    /// Creates a machine with this memory and swap, and no cgroups.
    init(memory: Double, swap: Double, version: MemoryCgroup.Version) {
        var machine = Cgroup(path: "/", parent: -1)
        (machine.limits.max, machine.limits.swap) = (memory, swap)
        all = [machine]
        places = [.host]
        nodes = ["/": Self.root]
        self.version = version
    }

    subscript(node: Node) -> Cgroup {
        _read { yield all[node] }
        _modify { yield &all[node] }
    }

    /// The cgroup with this path, if it exists.
    func node(at path: String) -> Node? { nodes[path] }

    /// The cgroup of a place, if it exists.
    func node(of place: SensorPlace) -> Node? { place.cgroup.map { nodes[$0.path] } ?? Self.root }

    /// Creates a cgroup; it is different from a removed one with the same name.
    ///
    /// Parents are created before their children.
    mutating func make(_ path: String, below parent: Node) -> Node {
        let node = all.count
        all.append(Cgroup(path: path, parent: parent))
        let memory = version == .one ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"
        let cgroup = MemoryPressure.Cgroup(path: path, directory: "/sys/fs/cgroup" + path)
        places.append(
            SensorPlace(cgroup: cgroup, memory: MemoryCgroup(version, path: path, directory: memory + path))
        )
        nodes[path] = node
        return node
    }

    /// Removes a cgroup, which has to be empty: rmdir(2).
    mutating func remove(_ node: Node) {
        all[node].exists = false
        if nodes[all[node].path] == node { nodes[all[node].path] = nil }
    }

    /// A cgroup and all above it, up to the root; all of them count its events.
    func lineage(of node: Node) -> some Sequence<Node> {
        sequence(first: node) { $0 == Self.root ? nil : all[$0].parent }
    }

    /// Whether a cgroup is the same as another one or below it.
    func isWithin(_ node: Node, _ ancestor: Node) -> Bool {
        var node = node
        while node > ancestor { node = all[node].parent }
        return node == ancestor
    }
}
