package import MemoryPressure

extension StagePlan.Ring {
    /// The distance of a cgroup's hosts from the cgroup under pressure, by their paths; `nil` if they could not help.
    ///
    /// If a cgroup exceeds its own limit, no other cgroup can help.
    package init?(of path: String, around pressured: String, limit: BindingLimit?) {
        if path.isWithin(pressured) {
            self = .inside
            return
        }
        switch limit?.kind {
        case .high, .max:
            guard let limit, path.isWithin(limit.path) else { return nil }
            self = .beside
        case .v1:
            // Its path belongs to another hierarchy: the cgroups below it are unknown.
            return nil
        case .machine, nil:
            let parent = pressured.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(pressured[..<$0]) } ?? ""
            self = !parent.isEmpty && path.isWithin(parent) ? .beside : .rest
        }
    }
}
