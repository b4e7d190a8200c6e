import MemoryPressure

/// The memory of a modelled machine in virtual time: the memory of programs, reclaim, stalls and kills.
///
/// There are no ticks: everything changes linearly between the instants at which a change begins or ends, which are computed in
/// advance. Values in between are computed in closed form.
final class KernelModel {
    typealias Node = CgroupTree.Node

    /// The features of a kernel, which decide the rung of the ladder.
    struct Features {
        /// Whether there is PSI.
        var hasStalls = true
        /// Whether triggers can be armed, and with a short window.
        var takesTriggers = true
        var isPrivileged = true
        /// The version of the memory controller.
        var version = MemoryCgroup.Version.two
    }

    /// A program that the kernel killed for lack of memory.
    struct Kill {
        /// In nanoseconds.
        let at: UInt64
        /// The cgroup whose limit was exceeded.
        let domain: Node
        let program: Int
        /// The bytes that its programs hold or are about to allocate, and the available room.
        let wanted: Double
        let capacity: Double
    }

    let features: Features
    private(set) var tree: CgroupTree
    private(set) var programs: [WorkingSet] = []
    /// The programs that have not ended.
    private(set) var alive: [Int] = []
    private(set) var counts: [Counts] = []
    /// Kills since the last call of ``takeKills()``.
    private var kills: [Kill] = []
    /// The state at the segment's start.
    private(set) var now = Reclaim()
    private var later = Reclaim()
    private var holdings: [Reclaim.Holding] = []
    private var compaction: [Double] = []
    /// Cgroups over `memory.high`, whose programs grow slowly.
    private var throttled: [Bool] = []
    /// The segment, in nanoseconds; if `end` is `nil` it has no end.
    private(set) var start: UInt64 = 0
    private(set) var end: UInt64?
    private var isDirty = true
    /// The number of segments.
    private(set) var segments = 0

    /// The number of times that the kernel searches for room before it kills, each of which counts as `max` (mm/memcontrol.c,
    /// try_charge_memcg()).
    private static let attempts = 18.0

    init(_ features: Features, memory: Double, swap: Double) {
        self.features = features
        tree = CgroupTree(memory: memory, swap: swap, version: features.version)
        grow()
    }

    private func grow() {
        counts.append(Counts())
        compaction.append(0)
        throttled.append(false)
    }

    // MARK: Changes

    func makeCgroup(_ path: String, below parent: Node, at time: UInt64) -> Node {
        advance(to: time)
        grow()
        return tree.make(path, below: parent)
    }

    /// Removes a cgroup, which must not contain programs.
    func removeCgroup(_ node: Node, at time: UInt64) {
        advance(to: time)
        tree.remove(node)
    }

    func setLimits(of node: Node, high: Double, max: Double, at time: UInt64) {
        advance(to: time)
        (tree[node].limits.high, tree[node].limits.max) = (high, max)
    }

    func setSwap(of node: Node, _ bytes: Double) { tree[node].limits.swap = bytes }

    func count(stallsOf node: Node, _ isCounted: Bool, at time: UInt64) {
        advance(to: time)
        tree[node].countsStalls = isCounted
    }

    /// Makes tasks lose a share of their time to compaction.
    func compact(_ node: Node, _ share: Double, at time: UInt64) {
        advance(to: time)
        compaction[node] = share
    }

    func start(_ program: WorkingSet, at time: UInt64) -> Int {
        advance(to: time)
        programs.append(program)
        alive.append(programs.count - 1)
        return programs.count - 1
    }

    func change(_ program: Int, at time: UInt64, _ body: (inout WorkingSet) -> Void) {
        advance(to: time)
        body(&programs[program])
        if !programs[program].isAlive { alive.removeAll { $0 == program } }
    }

    /// Returns the kills since the last call.
    func takeKills() -> [Kill] {
        guard !kills.isEmpty else { return [] }
        defer { kills = [] }
        return kills
    }

    // MARK: Time

    private func seconds(_ time: UInt64) -> Double { Double(time - start) / 1e9 }

    /// Ends the segment at an instant; the next one begins with ``settle()``.
    private func advance(to time: UInt64) {
        guard time > start || !isDirty else {
            isDirty = true
            return
        }
        isDirty = true
        let elapsed = seconds(time)
        for index in alive {
            if programs[index].anonymous.isMoving {
                programs[index].anonymous.advance(elapsed, slowed: slowing(programs[index].cgroup))
            }
            programs[index].active.advance(elapsed, slowed: 1)
        }
        for node in counts.indices where tree[node].exists {
            // Constant until the next segment changes it.
            let share = Reclaim.Figures()
            counts[node].begin(after: elapsed, share, share, in: 0, countsStalls: true)
        }
        start = time
    }

    private func slowing(_ node: Node) -> Double {
        var node = node
        while node > 0 {
            if throttled[node] { return 0.05 }
            node = tree[node].parent
        }
        return 1
    }

    /// Processes changes: kills programs if necessary, and computes the next change.
    ///
    /// - Returns: Whether anything was changed.
    @discardableResult
    func settle() -> Bool {
        guard isDirty else { return false }
        isDirty = false
        segments += 1
        while true {
            hold(after: 0)
            now.update(tree, holdings)
            guard throttle() || killOne() else { break }
        }
        var next = now.secondsToChange
        for index in alive {
            let program = programs[index]
            if program.anonymous.isMoving, let left = program.anonymous.secondsLeft(slowed: slowing(program.cgroup)) {
                next = min(next ?? left, left)
            }
            if let left = program.active.secondsLeft(slowed: 1) { next = min(next ?? left, left) }
        }
        let length = next.map { max($0, 1e-6) } ?? 0
        end = next.map { _ in start + UInt64((length * 1e9).rounded(.up)) }
        // If no task stalls and no limit is reached, nothing changes before the next event.
        let isEven = length == 0 || now.isCalm && now.figures[CgroupTree.root].some == 0
        if !isEven {
            hold(after: length)
            later.update(tree, holdings)
        }
        for node in counts.indices where tree[node].exists {
            let from = now.figures[node]
            counts[node].begin(
                after: 0,
                from,
                isEven ? from : later.figures[node],
                in: length,
                countsStalls: tree[node].countsStalls
            )
        }
        return true
    }

    /// Ends the segment.
    func step() {
        guard let end else { return }
        advance(to: end)
        settle()
    }

    /// Sets the memory of the programs at a time in seconds after the segment's start.
    private func hold(after seconds: Double) {
        if holdings.count != tree.all.count {
            holdings = [Reclaim.Holding](repeating: Reclaim.Holding(), count: tree.all.count)
        }
        for node in holdings.indices {
            holdings[node] = Reclaim.Holding()
            holdings[node].compaction = compaction[node]
        }
        for index in alive {
            let program = programs[index]
            let node = program.cgroup
            let rate = program.anonymous.isMoving ? program.anonymous.rate(slowed: slowing(node)) : 0
            holdings[node].anonymous += Line(value: program.anonymous.value + rate * seconds, rate: rate)
            let pace = program.active.rate(slowed: 1)
            holdings[node].active += Line(value: program.active.value + pace * seconds, rate: pace)
            holdings[node].streamed += program.streamed
            holdings[node].hasTasks = true
        }
    }

    /// Slows exactly the programs over `memory.high`; returns whether that changed anything.
    private func throttle() -> Bool {
        var hasChanged = false
        for node in throttled.indices where tree[node].exists && throttled[node] != now.figures[node].isOverHigh {
            // A stopped program stays slowed until it is clearly below.
            if throttled[node], now.figures[node].anonymous.value > tree[node].limits.high - 65_536 { continue }
            throttled[node] = now.figures[node].isOverHigh
            hasChanged = true
        }
        return hasChanged
    }

    /// Kills the largest program under a limit that has no room; returns whether there was one.
    private func killOne() -> Bool {
        guard let domain = now.figures.indices.first(where: { tree[$0].exists && now.figures[$0].isOut }) else {
            return false
        }
        var victim: Int?
        var wanted = 0.0
        var isGrowing = false
        for index in alive where tree.isWithin(programs[index].cgroup, domain) {
            let held = programs[index].anonymous.value
            wanted += max(held, programs[index].anonymous.target)
            isGrowing = isGrowing || programs[index].anonymous.isGrowing
            if victim.map({ held > programs[$0].anonymous.value }) ?? true { victim = index }
        }
        guard let victim else { return false }
        let capacity = tree[domain].limits.max + tree[domain].limits.swap
        kills.append(Kill(at: start, domain: domain, program: victim, wanted: wanted, capacity: capacity))
        // The kernel does not search for room for a lowered limit (memory_max_write()).
        let attempts = isGrowing ? Self.attempts : 0
        for node in tree.lineage(of: domain) {
            counts[node].max.value += attempts
            counts[node].oom += 1
        }
        for node in tree.lineage(of: programs[victim].cgroup) { counts[node].kills += 1 }
        programs[victim].end()
        alive.removeAll { $0 == victim }
        return true
    }
}

// The contents of the kernel's files.
extension KernelModel {
    /// The seconds since the segment's start.
    func elapsed(at time: UInt64) -> Double { Double(time - start) / 1e9 }

    /// The memory of a program.
    func anonymous(of program: Int, at time: UInt64) -> Double {
        let held = programs[program]
        return held.anonymous.value + held.anonymous.rate(slowed: slowing(held.cgroup)) * elapsed(at: time)
    }

    /// The headroom to the tightest limit of a cgroup and its ancestors, like ``Headroom/read(of:)``.
    func headroom(of node: Node, at time: UInt64) -> Headroom? {
        let elapsed = elapsed(at: time)
        guard node != CgroupTree.root else {
            let total = tree[node].limits.max
            let figure = now.figures[node]
            let held = figure.anonymous.value + figure.anonymous.rate * elapsed
            let files = figure.active.value + figure.inactive.value
            // si_mem_available(): all file pages except a low watermark.
            let used = min(total, max(0, held + min(files / 2, total / 50)))
            return Headroom(limit: BindingLimit(.machine, bytes: UInt64(total), path: "/"), used: UInt64(used))
        }
        var tightest: (node: Node, kind: BindingLimit.Kind, bytes: Double, used: Double)?
        var place = node
        while place != CgroupTree.root {
            let limits = tree[place].limits
            let bytes = limits.tightest
            if bytes < .infinity {
                let figure = now.figures[place]
                let used = max(0, figure.charged.value + figure.charged.rate * elapsed)
                let kind: BindingLimit.Kind = features.version == .one ? .v1 : limits.high <= limits.max ? .high : .max
                if tightest.map({ (bytes - used) / bytes < ($0.bytes - $0.used) / $0.bytes }) ?? true {
                    tightest = (place, kind, bytes, used)
                }
            }
            place = tree[place].parent
        }
        guard let tightest else { return nil }
        let limit = BindingLimit(tightest.kind, bytes: UInt64(tightest.bytes), path: tree[tightest.node].path)
        return Headroom(limit: limit, used: UInt64(tightest.used))
    }

    /// The stall totals; `nil` if there are none, or they are switched off.
    func stalls(of node: Node, at time: UInt64) -> PressureStall? {
        guard features.hasStalls, tree[node].countsStalls else { return nil }
        return counts[node].stall(after: elapsed(at: time))
    }

    /// `memory.events`; `nil` if there is none.
    func events(of node: Node, at time: UInt64) -> MemoryEvents? {
        guard features.version == .two, node != CgroupTree.root else { return nil }
        return counts[node].events(after: elapsed(at: time))
    }

    func reclaim(of node: Node, at time: UInt64) -> ReclaimCounters {
        // If v2 has no memory controller, the machine's counters are used.
        counts[features.version == .two ? node : CgroupTree.root].reclaim(after: elapsed(at: time))
    }
}
