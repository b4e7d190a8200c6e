/// How a scope is watched: the rungs of the ladder, best first.
package enum Rung: UInt8, Sendable, CaseIterable {
    /// PSI triggers with a window of less than 2 s.
    case privileged = 1
    /// PSI triggers with a window of 2 s.
    case unprivileged = 2
    /// PSI without triggers: the totals are read every window.
    case polling = 3
    /// No PSI: the events of the cgroup's limits, and the headroom to them.
    case events = 4
    /// Neither PSI nor events: the headroom to the tightest limit.
    case usage = 5
    /// No limit either: the machine's available memory.
    case available = 6

    /// Whether it uses files of the cgroup itself, which die with the cgroup.
    package var hasOwnFiles: Bool { rawValue <= Self.events.rawValue }

    /// Whether the kernel sends events when tasks stall.
    var hasTriggers: Bool { rawValue <= Self.unprivileged.rawValue }

    /// Whether it reads PSI.
    package var hasStalls: Bool { rawValue <= Self.polling.rawValue }
}
