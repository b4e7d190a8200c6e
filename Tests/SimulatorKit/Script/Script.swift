import MemoryPressure

/// Timed steps for a machine, as a text: for the modelled machine, or for a guest with its own kernel.
///
/// A line is a time in seconds, a verb and its arguments. Sizes are in MiB, rates in MiB per second, and triggers are in the
/// kernel's form.
package struct Script: Sendable {
    enum Action: Sendable {
        /// A program allocates this number of bytes at a pace, and uses all of them.
        case grow(String, cgroup: Int, Double, pace: Double)
        /// A program reads pages of a file of this size at random; the pace is that of the disk.
        case read(String, cgroup: Int, Double, pace: Double)
        case stop(String)
        case limits(cgroup: Int, high: Double?, max: Double?)
        case remove(cgroup: Int)
        case accounting(cgroup: Int, isCounted: Bool)
        case arm(String, cgroup: Int, PressureStall.Kind, StallPlan, isPrivileged: Bool)
    }

    struct Step: Sendable {
        /// In seconds.
        let at: Double
        let action: Action
        let text: String
    }

    /// A line that cannot be parsed.
    package struct Fault: Error {
        package let line: String
    }

    private(set) var cgroups: [Scenario.CgroupPlan] = []
    private(set) var steps: [Step] = []
    /// In seconds.
    private(set) var length = 0.0

    package init(_ lines: [String]) throws(Fault) {
        for line in lines where !line.isEmpty && !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 1, let at = Double(words[0]), add(words[1], Array(words.dropFirst(2)), at: at) else {
                throw Fault(line: line)
            }
            length = at
        }
    }

    /// - Returns: Whether the arguments are valid.
    private mutating func add(_ verb: String, _ words: [String], at time: Double) -> Bool {
        switch verb {
        case "cgroup": return addCgroup(words)
        case "end": return words.isEmpty
        default:
            guard let action = action(verb, words) else { return false }
            steps.append(Step(at: time, action: action, text: "\(verb) \(words.joined(separator: " "))"))
            return true
        }
    }

    private mutating func addCgroup(_ words: [String]) -> Bool {
        guard let path = words.first, let slash = path.lastIndex(of: "/"), let limits = limits(words.dropFirst()) else {
            return false
        }
        var plan = Scenario.CgroupPlan(path: path, parent: number(of: String(path[..<slash])))
        if let high = limits.high { plan.high = high }
        if let max = limits.max { plan.max = max }
        if let swap = limits.swap { plan.swap = swap }
        cgroups.append(plan)
        return true
    }

    private func action(_ verb: String, _ words: [String]) -> Action? {
        let cgroup = words.dropFirst().first.flatMap { number(of: $0) }
        switch (verb, words.count) {
        case ("grow", 4), ("read", 4):
            guard let cgroup, let size = bytes(words[2]), let pace = bytes(words[3]) else { return nil }
            return verb == "grow"
                ? .grow(words[0], cgroup: cgroup, size, pace: pace) : .read(words[0], cgroup: cgroup, size, pace: pace)
        case ("stop", 1): return .stop(words[0])
        case ("remove", 1): return number(of: words[0]).map { .remove(cgroup: $0) }
        case ("limit", 2):
            guard let cgroup = number(of: words[0]), let limits = limits(words.dropFirst()) else { return nil }
            return .limits(cgroup: cgroup, high: limits.high, max: limits.max)
        case ("pressure", 2): return number(of: words[0]).map { .accounting(cgroup: $0, isCounted: words[1] == "1") }
        case ("arm", 5...6):
            guard let cgroup, let stall = Double(words[3]), let window = UInt64(words[4]), window > 0 else {
                return nil
            }
            let share = Share.percent(100 * stall / Double(window))
            var plan = StallPlan()
            (plan.some, plan.full) = (share, share)
            (plan.window, plan.privilegedWindow) = (.microseconds(window), .microseconds(window))
            let kind: PressureStall.Kind = words[2] == "full" ? .full : .some
            return .arm(words[0], cgroup: cgroup, kind, plan, isPrivileged: words.count == 5)
        default: return nil
        }
    }

    private func limits(_ words: ArraySlice<String>) -> (high: Double?, max: Double?, swap: Double?)? {
        var limits: (high: Double?, max: Double?, swap: Double?)
        for word in words {
            let parts = word.split(separator: "=").map(String.init)
            guard parts.count == 2, let value = bytes(parts[1]) else { return nil }
            switch parts[0] {
            case "high": limits.high = value
            case "max": limits.max = value
            case "swap": limits.swap = value
            default: return nil
            }
        }
        return limits
    }

    private func number(of path: String) -> Int? { cgroups.firstIndex { $0.path == path } }

    private func bytes(_ mebibytes: String) -> Double? { Double(mebibytes).map { $0 * 1_048_576 } }
}
