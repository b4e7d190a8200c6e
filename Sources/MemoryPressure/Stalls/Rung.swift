/// How a scope is watched: the rungs of the ladder, best first.
package enum Rung: UInt8, Sendable, CaseIterable {
    /// PSI triggers with a window of less than 2 s.
    case privileged = 1
    /// PSI triggers with a window of 2 s.
    case unprivileged = 2
    /// PSI without triggers: the totals are read every window.
    case polling = 3
    /// No PSI: the events of the cgroup's limits, and what is left of them.
    case events = 4
    /// Neither: what is left of the tightest limit.
    case usage = 5
    /// Nor a limit: what the machine has available.
    case available = 6

    /// Whether files of the cgroup itself are open, which die with it.
    var hasOwnFiles: Bool { rawValue <= Self.events.rawValue }

    /// Whether the kernel says when tasks stall.
    var hasTriggers: Bool { rawValue <= Self.unprivileged.rawValue }

    /// Whether PSI is among what is read.
    package var hasStalls: Bool { rawValue <= Self.polling.rawValue }
}
