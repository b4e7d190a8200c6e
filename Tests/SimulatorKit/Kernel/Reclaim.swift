/// The distribution of memory at one instant: the kernel's reclaim in a tree of limits.
///
/// The rules, from leaf to root, each with its kernel source:
/// - File pages that were read once are reclaimed first, at no cost: they are on the inactive list (mm/vmscan.c,
///   shrink_lruvec()).
/// - Then pages that are read repeatedly, which return as refaults; a task stalls for the part that does not fit
///   (mm/workingset.c, workingset_refault(); psi_memstall_enter() in try_to_free_mem_cgroup_pages()).
/// - Anonymous memory goes to swap if there is swap, and stays otherwise.
/// - Over `memory.high` tasks that allocate more are throttled, and never killed (mm/memcontrol.c,
///   mem_cgroup_handle_over_high()).
/// - At `memory.max` with nothing left to reclaim, or with no memory left in the machine, the largest program is killed
///   (mm/oom_kill.c, oom_badness()).
struct Reclaim {
    /// A cgroup and its descendants.
    struct Figures {
        /// Held and wanted anonymous memory.
        var anonymous = Line.zero
        /// Resident file pages in use.
        var active = Line.zero
        /// Resident file pages that were read once.
        var inactive = Line.zero
        /// The share of the pages in use for which the cgroup's own limit leaves no room.
        var shortage = 0.0
        /// The share of time that its tasks lose to the cgroup's own limit.
        var stall = 0.0
        /// How often per second the cgroup's own limit is reached.
        var hits = 0.0
        /// The same for the cgroup and its descendants: `memory.events` is hierarchical.
        var hitsHigh = 0.0
        var hitsMax = 0.0
        /// Scanned pages per second, and refaults per second.
        var scans = 0.0
        var refaults = 0.0
        /// The share of time in which at least one task in or below the cgroup stalls, and in which all do.
        var some = 0.0
        var full = 0.0
        /// How often per second the cgroup's own limit, or one above it, is reached.
        var pressed = 0.0
        /// The share of time lost to the cgroup's own limit or one above it.
        var lost = 0.0
        /// Whether any task has been counted so far.
        var hasTasks = false
        /// Whether `memory.high` throttles growing programs in the cgroup.
        var isOverHigh = false
        /// Whether a program in the cgroup has to be killed.
        var isOut = false

        /// The charged memory without `inactive_file`: about half of the file pages in use are on the inactive list (mm/vmscan.c,
        /// inactive_is_low()).
        var charged: Line { anonymous + Line(value: active.value / 2, rate: active.rate / 2) }

        /// Counts tasks that lose these shares of time.
        mutating func count(some: Double, full: Double) {
            self.some = max(self.some, some)
            self.full = hasTasks ? min(self.full, full) : full
            hasTasks = true
        }
    }

    /// The figures of each cgroup, by its node.
    private(set) var figures: [Figures] = []
    /// The time in seconds until the next change; `nil` if there is none.
    private(set) var secondsToChange: Double?
    /// Whether no limit is reached.
    private(set) var isCalm = true

    /// The memory of a cgroup's own programs.
    struct Holding {
        var anonymous = Line.zero
        var active = Line.zero
        var streamed = 0.0
        var hasTasks = false
        /// Time that tasks lose to compaction, without any reclaim.
        var compaction = 0.0
    }

    /// The share of time that a single task loses when it reads files at a limit: observed on a real kernel.
    private static let streaming = 0.02
    /// The part of `some` that counts as `full` if tasks can run: they never all stall at once.
    private static let fullPart = 0.8

    /// Computes the state.
    mutating func update(_ tree: CgroupTree, _ own: [Holding]) {
        let count = tree.all.count
        if figures.count != count { figures = [Figures](repeating: Figures(), count: count) }
        (secondsToChange, isCalm) = (nil, true)
        for node in 0..<count {
            figures[node] = Figures()
            figures[node].anonymous = own[node].anonymous
            figures[node].active = own[node].active
            figures[node].inactive = Line(value: own[node].streamed)
        }
        for node in stride(from: count - 1, through: 0, by: -1) {
            guard tree.all[node].exists else { continue }
            let limits = tree.all[node].limits
            if limits.tightest < .infinity { limit(node, limits) }
            figures[node].hitsHigh += limits.high <= limits.max ? figures[node].hits : 0
            figures[node].hitsMax += limits.high <= limits.max ? 0 : figures[node].hits
            figures[node].scans += figures[node].hits * 32
            figures[node].refaults += figures[node].shortage * 1_000
            if node > 0 { charge(tree.all[node].parent, figures[node]) }
        }
        for node in 0..<count where tree.all[node].exists {
            var lost = max(figures[node].stall, own[node].compaction)
            figures[node].pressed = figures[node].hits
            if node > 0 {
                let parent = tree.all[node].parent
                lost = max(lost, figures[parent].lost)
                press(node, by: figures[parent])
            }
            figures[node].lost = lost
        }
        sumStalls(tree, own)
    }

    /// Applies a cgroup's own limit to its contents.
    private mutating func limit(_ node: Int, _ limits: CgroupTree.Limits) {
        var figure = figures[node]
        let limit = Line(value: limits.tightest)
        let room = limit - figure.anonymous
        let spare = room - figure.active
        let free = spare - figure.inactive
        note(room)
        note(spare)
        note(free)
        let wanted = figure.active.value
        let isTaking = figure.inactive.value > 0 || figure.anonymous.rate > 0 || figure.active.rate > 0
        if room.isBelowZero {
            figure.shortage = wanted > 0 ? 1 : 0
            figure.active = .zero
            figure.inactive = .zero
            figure.isOverHigh = limits.high < limits.max
            // A cgroup over `memory.high` is throttled when it allocates more, not while it uses its present memory.
            let isThrottled = isTaking || wanted > 0
            figure.hits = figure.isOverHigh && !isThrottled ? 0 : 100
            figure.stall = figure.isOverHigh && !isThrottled ? 0 : 0.95
            if !figure.isOverHigh {
                let left = room + Line(value: limits.swap)
                note(left)
                figure.isOut = left.isBelowZero
                // Swapped memory returns when it is used.
                figure.stall = limits.swap > 0 ? min(0.95, 0.3 - 0.65 * room.value / limits.swap) : 0.95
                figure.anonymous = limit
            } else if limits.max < .infinity {
                let left = Line(value: limits.max + limits.swap) - figure.anonymous
                note(left)
                figure.isOut = left.isBelowZero
            }
        } else if spare.isBelowZero {
            figure.shortage = wanted > 0 ? min(1, max(0, -spare.value / wanted)) : 0
            figure.active = room
            figure.inactive = .zero
            figure.hits = 20 + 80 * figure.shortage
            figure.stall = 0.9 * figure.shortage
        } else if free.isBelowZero {
            figure.inactive = spare
            if isTaking {
                figure.hits = 20
                figure.stall = Self.streaming
            }
        }
        isCalm = isCalm && figure.hits == 0
        figures[node] = figure
    }

    private mutating func charge(_ parent: Int, _ child: Figures) {
        figures[parent].anonymous += child.anonymous
        figures[parent].active += child.active
        figures[parent].inactive += child.inactive
        figures[parent].hitsHigh += child.hitsHigh
        figures[parent].hitsMax += child.hitsMax
        figures[parent].scans += child.scans
        figures[parent].refaults += child.refaults
    }

    /// A limit above reclaims from all cgroups below it in proportion to their memory.
    private mutating func press(_ node: Int, by parent: Figures) {
        guard parent.pressed > 0 else { return }
        figures[node].pressed = max(figures[node].pressed, parent.pressed)
        let left = 1 - parent.shortage
        figures[node].active = Line(value: figures[node].active.value * left)
        figures[node].shortage = max(figures[node].shortage, parent.shortage)
        if parent.shortage > 0 { figures[node].inactive = .zero }
        figures[node].scans = max(figures[node].scans, parent.pressed)
        figures[node].refaults = max(figures[node].refaults, parent.shortage * 1_000)
    }

    /// At least one task stalls if one below does, and all stall if all below do (kernel/sched/psi.c).
    private mutating func sumStalls(_ tree: CgroupTree, _ own: [Holding]) {
        for node in stride(from: figures.count - 1, through: 0, by: -1) where tree.all[node].exists {
            if own[node].hasTasks {
                let lost = figures[node].lost
                figures[node].count(some: lost, full: lost * Self.fullPart)
            }
            if node > 0, figures[node].hasTasks {
                figures[tree.all[node].parent].count(some: figures[node].some, full: figures[node].full)
            }
        }
    }

    private mutating func note(_ line: Line) {
        guard let seconds = line.secondsToZero else { return }
        secondsToChange = min(secondsToChange ?? seconds, seconds)
    }
}
