package import MemoryPressure

/// The host, or one cgroup and everything below it, as the policy sees it.
package struct ScopeEntry: Sendable {
    package let id: ScopeID
    /// `/` for the whole host, `/.` for the root of a cgroup namespace, otherwise a cgroup's path.
    package let path: String
    /// How it is observed.
    package internal(set) var watch: Watch
    /// The level that hosts are told, and its reason: those of the watch, as soon as the policy has processed them.
    package internal(set) var level: PressureLevel
    package internal(set) var reason = PressureReason(.unknown)
    /// The number of hosts in this cgroup itself.
    package internal(set) var hosts = 0
    /// Whether the configuration names it, with or without hosts, and whether it ever did.
    package internal(set) var isConfigured = false {
        didSet { wasConfigured = wasConfigured || isConfigured }
    }
    fileprivate var wasConfigured = false
    /// When the last check of its hosts was due because the cgroup became empty or populated.
    var populationMoved: MonotonicInstant?
    /// When it stopped being wanted; `nil` while it is wanted.
    var unwanted: MonotonicInstant?
    /// The number of the account whose cgroup it is.
    let account: UInt64
    /// The number of that account's last turn.
    fileprivate var turn: UInt64 = 0
    /// The closest scope around this one; 0 for the whole host.
    fileprivate(set) var parent: ScopeID = 0

    fileprivate init(_ id: ScopeID, _ path: String, _ watch: Watch) {
        (self.id, self.path, self.watch) = (id, path, watch)
        level = watch.level
        account = PeerQuotas.Account(uid: 0, cgroup: path).number
    }

    /// Among the scopes around a third, the closer one has the greater depth.
    fileprivate var depth: Int {
        switch path {
        case "/": 0
        case "/.": 1
        default: 1 + path.utf8.count
        }
    }
}

/// The watched scopes, in order of their ids; the whole host is always the first.
package struct ScopeTable: Sendable {
    package private(set) var all: [ScopeEntry] = []
    /// The scopes by path.
    private var ids: [PathBytes: ScopeID] = [:]
    private var lastID = ScopeID.wholeHost
    /// When ``elapse(at:slack:_:)`` is due, as of the last ``noteDue()``.
    package private(set) var due: MonotonicInstant?
    private var hasChanged = true
    /// The number of unwanted scopes.
    private var unwanted = 0

    /// How long a scope stays watched after its last host has left: a service that starts again finds it watched, so
    /// that triggers are not armed and closed each time, for which the kernel waits tens of milliseconds.
    private static let linger = Duration.seconds(5)
    /// The maximum number of these scopes, so that hosts in ever new cgroups do not fill the table.
    private static let lingering = 64
    /// The number of readings before the program gives way: each takes some 50 µs.
    private static let looks = 8
    /// The number of the last turn of an account.
    private var lastTurn: UInt64 = 0

    /// Creates a table with the whole host, at a level that lasts until readings change it.
    init(_ policy: SensorPolicy) {
        let watch = Watch(.wholeHost, .host, policy, level: .normal, at: MonotonicInstant(nanoseconds: 0))
        all = [ScopeEntry(.wholeHost, "/", watch)]
        ids[PathBytes("/")] = .wholeHost
    }

    package func index(of id: ScopeID) -> Int? {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].id == id ? low : nil
    }

    package subscript(index: Int) -> ScopeEntry {
        // Not a coroutine: in unoptimised code Swift 6.3.1 destroys the receiver of a method call through a coroutine
        // twice.
        get { all[index] }
        _modify {
            hasChanged = true
            yield &all[index]
        }
    }

    /// The scope's path, or that of the whole host if the scope does not exist.
    package func path(of id: ScopeID) -> String { index(of: id).map { all[$0].path } ?? all[0].path }

    func wasConfigured(_ id: ScopeID) -> Bool { index(of: id).map { all[$0].wasConfigured } ?? false }

    package func level(of id: ScopeID) -> PressureLevel? { index(of: id).map { all[$0].level } }

    /// The scope with this path, if it exists.
    package func id(at path: String) -> ScopeID? { ids[PathBytes(path)] }

    /// Adds a scope, at a level that lasts until readings change it.
    mutating func open(
        _ path: String,
        _ place: SensorPlace,
        _ policy: SensorPolicy,
        level: PressureLevel,
        at now: MonotonicInstant
    ) -> ScopeID {
        lastID += 1
        let id = lastID
        var entry = ScopeEntry(id, path, Watch(id, place, policy, level: level, at: now))
        entry.parent = ScopeID.wholeHost
        for other in all where path.isWithin(other.path) && other.depth >= depth(of: entry.parent) {
            entry.parent = other.id
        }
        // The new scope becomes the parent of scopes inside it that had the same parent.
        for index in all.indices where all[index].parent == entry.parent && all[index].path.isWithin(path) {
            all[index].parent = id
        }
        all.append(entry)
        ids[PathBytes(path)] = id
        want(all.count - 1, false, at: now)
        return id
    }

    /// Starts again with the whole host, at a level that lasts until readings change it.
    mutating func start(_ policy: SensorPolicy, level: PressureLevel, at now: MonotonicInstant) {
        self[0].watch = Watch(.wholeHost, .host, policy, level: level, at: now)
        self[0].level = level
    }

    /// Adds a host to a scope.
    mutating func enter(_ id: ScopeID) {
        guard let index = index(of: id) else { return }
        self[index].hosts += 1
        want(index, true)
    }

    /// Removes a host from a scope.
    mutating func leave(_ id: ScopeID, at now: MonotonicInstant) {
        guard let index = index(of: id) else { return }
        self[index].hosts -= 1
        if self[index].hosts == 0, !self[index].isConfigured { want(index, false, at: now) }
    }

    /// Sets whether the configuration names a scope.
    mutating func configure(_ id: ScopeID, _ isConfigured: Bool, at now: MonotonicInstant) {
        guard let index = index(of: id) else { return }
        self[index].isConfigured = isConfigured
        want(index, isConfigured || self[index].hosts > 0, at: now)
    }

    /// Makes the other scopes below a cgroup's limit be read soon, because a reading of one shows that the limit is
    /// near.
    ///
    /// If more than half was left at their last reading, nothing else would.
    mutating func lookSoon(within path: String, except id: ScopeID, at now: MonotonicInstant) {
        for index in all.indices where all[index].id != id && all[index].path.isWithin(path) {
            self[index].watch.lookSoon(at: now)
        }
    }

    private mutating func want(_ index: Int, _ isWanted: Bool, at now: MonotonicInstant? = nil) {
        guard index > 0, isWanted != (self[index].unwanted == nil) else { return }
        unwanted += isWanted ? -1 : 1
        self[index].unwanted = isWanted ? nil : now
    }

    /// Applies new rules to all scopes.
    mutating func follow(_ policy: SensorPolicy, at now: MonotonicInstant) {
        for index in all.indices { self[index].watch.follow(policy, at: now) }
    }

    /// Reads a few of the scopes that are due, in turns between accounts, and of an account the longest waiting first: a
    /// user may have hundreds that are due at once.
    ///
    /// - Returns: the scopes that have been unwanted for long enough.
    mutating func elapse(at now: MonotonicInstant, slack: Duration, _ effects: inout Effects) -> [ScopeID] {
        let latest = now.advanced(by: slack)
        for _ in 0..<Self.looks {
            var next: (index: Int, turn: UInt64, due: MonotonicInstant)?
            for index in all.indices {
                guard let due = all[index].watch.due, due <= latest,
                    next.map({ (all[index].turn, due) < ($0.turn, $0.due) }) ?? true,
                    all[index].watch.isDue(at: now, before: latest)
                else { continue }
                next = (index, all[index].turn, due)
            }
            guard let next else { break }
            lastTurn += 1
            for index in all.indices where all[index].account == all[next.index].account { all[index].turn = lastTurn }
            self[next.index].watch.elapse(at: now, slack: slack, &effects)
        }
        guard unwanted > 0 else { return [] }
        let idle = all.compactMap { scope in scope.unwanted.map { (id: scope.id, since: $0) } }
            .ordered { ($0.since, $0.id) < ($1.since, $1.id) }
        let ripe = now.advanced(by: slack - Self.linger)
        let excess = unwanted - Self.lingering
        return idle.enumerated().prefix { $0.offset < excess || $0.element.since <= ripe }.map { $0.element.id }
    }

    /// Updates ``due``.
    mutating func noteDue() {
        guard hasChanged else { return }
        hasChanged = false
        let wait = unwanted > Self.lingering ? .zero : Self.linger
        var earliest: MonotonicInstant?
        // By index: passing an element copies it whole.
        for index in all.indices {
            if let due = all[index].watch.due, due.nanoseconds < earliest?.nanoseconds ?? .max { earliest = due }
            if let since = all[index].unwanted { earliest = .earlier(earliest, since.advanced(by: wait)) }
        }
        due = earliest
    }

    /// Forgets a scope.
    mutating func close(_ id: ScopeID) {
        guard id != .wholeHost, let index = index(of: id) else { return }
        want(index, true)
        hasChanged = true
        let entry = all.remove(at: index)
        ids[PathBytes(entry.path)] = nil
        for index in all.indices where all[index].parent == id { all[index].parent = entry.parent }
    }

    /// Releases memory of scopes that were closed.
    mutating func shrink() {
        all.shrink()
        ids.shrink()
    }

    private func depth(of id: ScopeID) -> Int { index(of: id).map { all[$0].depth } ?? 0 }

    /// The index of the scope whose level binds the hosts of a scope: the worst of the scope and those above it, among
    /// equals the closest.
    package func binding(_ id: ScopeID) -> Int {
        var binding = index(of: id) ?? 0
        var above = all[binding].parent
        while above != 0, let index = index(of: above) {
            if all[index].level > all[binding].level { binding = index }
            above = all[index].parent
        }
        return binding
    }

    /// The distance of each scope whose hosts are told of a cause, by index; `nil` for other scopes.
    func rings(around cause: Rounds.Cause) -> [StagePlan.Ring?] {
        var rings = [StagePlan.Ring?](repeating: nil, count: all.count)
        // By index: passing an element copies it whole, and a user may have hundreds of scopes that rise together.
        for index in all.indices {
            guard all[index].hosts > 0, cause.level == .warning || all[index].path.isWithin(cause.path),
                let ring = StagePlan.Ring(of: all[index].path, around: cause.path, limit: cause.reason.limit)
            else { continue }
            let binding = binding(all[index].id)
            // Hosts inside are told of the scope that binds them; hosts around it only while their own scope is calm.
            let isTold = ring == .inside ? all[binding].id == cause.scope : all[binding].level == .normal
            if isTold { rings[index] = ring }
        }
        return rings
    }

    /// Whether each scope's hosts are told of a shortage under this limit, by index: a scope that is short under a tighter
    /// limit of its own asks its hosts for bytes of that.
    func raised(under limit: BindingLimit) -> [Bool] {
        all.indices.map { index in
            guard all[index].hosts > 0 else { return false }
            let binding = binding(all[index].id)
            guard all[binding].level > .normal, let other = all[binding].reason.limit else { return false }
            return other.isSame(as: limit)
        }
    }

    /// The indices of scopes that are short under the limit of a cgroup above them, one for each limit: hosts elsewhere below
    /// that cgroup can help.
    var sharedShortages: [Int] {
        var shortages: [Int] = []
        for index in all.indices where all[index].level > .normal {
            guard let limit = all[index].reason.limit, limit.path != all[index].path,
                !shortages.contains(where: { all[$0].reason.limit?.isSame(as: limit) == true })
            else { continue }
            shortages.append(index)
        }
        return shortages
    }

    /// The highest level of all scopes.
    package var worst: PressureLevel { all.indices.reduce(.normal) { max($0, all[$1].level) } }

    /// The levels of the scopes whose level is not normal, by path.
    package var levels: [String: PressureLevel] {
        all.indices.reduce(into: [:]) { if all[$1].level > .normal { $0[all[$1].path] = all[$1].level } }
    }
}

/// A cgroup's path as bytes, which the kernel compares: two paths that look the same to a person may be two cgroups.
private struct PathBytes: Hashable, Sendable {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    static func == (left: Self, right: Self) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
    }
}

extension String {
    /// Whether this cgroup's path is `ancestor` or lies below it; compares bytes, like the kernel.
    package func isWithin(_ ancestor: String) -> Bool {
        if ancestor == "/" { return true }
        if ancestor == "/." { return utf8.first == UInt8(ascii: "/") && utf8.count > 1 }
        let length = ancestor.utf8.count
        guard utf8.count >= length else { return false }
        // Over the bytes in memory, where all strings of a Linux program have them: a storm of warnings compares all paths
        // with each other.
        let isWithin = utf8.withContiguousStorageIfAvailable { path in
            guard path.count == length || path[length] == UInt8(ascii: "/") else { return false }
            return ancestor.utf8.withContiguousStorageIfAvailable { ancestor in
                ancestor.indices.allSatisfy { path[$0] == ancestor[$0] }
            } ?? false
        }
        return isWithin ?? false
    }
}
