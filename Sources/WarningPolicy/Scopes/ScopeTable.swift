package import MemoryPressure

/// The host, or one cgroup and all below it, as the policy sees it.
package struct ScopeEntry: Sendable {
    package let id: ScopeID
    /// `/` is the whole host, `/.` the root of a cgroup namespace, anything else a cgroup's path.
    package let path: String
    package internal(set) var level: PressureLevel
    package internal(set) var reason = PressureReason(.unknown)
    /// How many hosts live in this cgroup itself.
    package internal(set) var hosts = 0
    /// The closest scope that this one lies in; 0 for the whole host.
    fileprivate(set) var parent: ScopeID = 0

    /// Of two scopes that a third one lies in, the closer one has the greater depth.
    fileprivate var depth: Int {
        switch path {
        case "/": 0
        case "/.": 1
        default: 1 + path.utf8.count
        }
    }
}

/// The scopes that are watched, in order of their ids; the whole host is always the first.
package struct ScopeTable: Sendable {
    package private(set) var all = [ScopeEntry(id: .wholeHost, path: "/", level: .normal)]

    package init() {}

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
        _read { yield all[index] }
        _modify { yield &all[index] }
    }

    /// The scope's path, or that of the whole host if it is not there.
    package func path(of id: ScopeID) -> String { index(of: id).map { all[$0].path } ?? all[0].path }

    package func level(of id: ScopeID) -> PressureLevel? { index(of: id).map { all[$0].level } }

    /// Notes that a scope is watched, or is at another level than was known.
    mutating func open(_ id: ScopeID, at path: String, _ level: PressureLevel, _ reason: PressureReason) {
        if let index = index(of: id) {
            all[index].level = level
            all[index].reason = reason
            return
        }
        var entry = ScopeEntry(id: id, path: path, level: level)
        entry.reason = reason
        entry.parent = ScopeID.wholeHost
        for other in all where path.isWithin(other.path) && other.depth >= depth(of: entry.parent) {
            entry.parent = other.id
        }
        // What lies in the new one, and had the same parent as it, has it in between now.
        for index in all.indices where all[index].parent == entry.parent && all[index].path.isWithin(path) {
            all[index].parent = id
        }
        all.insert(entry, at: all.firstIndex { $0.id > id } ?? all.count)
    }

    /// Forgets a scope.
    mutating func close(_ id: ScopeID) {
        guard id != .wholeHost, let index = index(of: id) else { return }
        let parent = all.remove(at: index).parent
        for index in all.indices where all[index].parent == id { all[index].parent = parent }
    }

    private func depth(of id: ScopeID) -> Int { index(of: id).map { all[$0].depth } ?? 0 }

    /// The scope whose level counts for the hosts of a scope: the worst of it and those above it, of equals the closest.
    package func binding(_ id: ScopeID) -> ScopeEntry {
        var binding = index(of: id).map { all[$0] } ?? all[0]
        var above = binding.parent
        while above != 0, let index = index(of: above) {
            if all[index].level > binding.level { binding = all[index] }
            above = all[index].parent
        }
        return binding
    }

    /// The highest level of all.
    package var worst: PressureLevel { all.reduce(.normal) { max($0, $1.level) } }
}

extension String {
    /// Whether this cgroup's path is `ancestor` or lies below it; as bytes, since the kernel's names are.
    package func isWithin(_ ancestor: String) -> Bool {
        if ancestor == "/" { return true }
        if ancestor == "/." { return utf8.first == UInt8(ascii: "/") && utf8.count > 1 }
        guard utf8.starts(with: ancestor.utf8) else { return false }
        let rest = utf8.dropFirst(ancestor.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }
}
