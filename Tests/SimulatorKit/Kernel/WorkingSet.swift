/// The memory of one program, and its changes over time.
struct WorkingSet {
    /// The cgroup that its memory is charged to.
    var cgroup: CgroupTree.Node
    /// Memory that can only be moved to swap.
    var anonymous: Ramp
    /// File pages that the program reads repeatedly.
    var active = Ramp(0)
    /// File pages that it reads once: as many as there is room for, up to this number of bytes.
    var streamed = 0.0
    var isAlive = true

    init(in cgroup: CgroupTree.Node, anonymous: Double, active: Double = 0) {
        self.cgroup = cgroup
        self.anonymous = Ramp(anonymous)
        self.active = Ramp(active)
    }

    mutating func end() {
        isAlive = false
        anonymous = Ramp(0)
        active = Ramp(0)
        streamed = 0
    }
}
