package import MemoryPressure

extension StagePlan.Ring {
    /// How far the hosts of a cgroup are from one under pressure, by their paths; `nil` where they could not help.
    ///
    /// What a cgroup has too much under its own limit no other cgroup can give back.
    package init?(of path: String, around pressured: String, limit: BindingLimit?) {
        if path.isWithin(pressured) {
            self = .inside
            return
        }
        switch limit?.kind {
        case .high, .max:
            let limited = limit?.path ?? ""
            guard limited != pressured, path.isWithin(limited) else { return nil }
            self = .beside
        case .v1:
            // Its path is of another hierarchy: what is under it cannot be told.
            return nil
        case .machine, nil:
            let parent = pressured.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(pressured[..<$0]) } ?? ""
            self = !parent.isEmpty && path.isWithin(parent) ? .beside : .rest
        }
    }
}
