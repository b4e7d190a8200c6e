/// How often a cgroup, or a cgroup below it, reached a limit since it was created: `memory.events`.
///
/// Source: cgroup-v2.rst, `memory.events`.
package struct MemoryEvents: Hashable, Sendable {
    /// How often processes were throttled because `memory.high` was exceeded: the earliest useful sign.
    package var high: UInt64
    /// How often the usage was about to go over `memory.max`.
    package var max: UInt64
    /// How often an allocation was about to fail at the limit.
    package var oom: UInt64
    /// How many processes were killed for that reason.
    package var oomKill: UInt64

    package init(high: UInt64 = 0, max: UInt64 = 0, oom: UInt64 = 0, oomKill: UInt64 = 0) {
        self.high = high
        self.max = max
        self.oom = oom
        self.oomKill = oomKill
    }

    /// Reads the file's text; `nil` if one of the four keys is missing, appears twice, or has no number.
    ///
    /// Other keys are skipped. Nothing is allocated.
    package init?(parsing bytes: UnsafeRawBufferPointer) {
        let text = FlatKeyedText(bytes)
        guard let high = text["high"], let max = text["max"], let oom = text["oom"], let oomKill = text["oom_kill"]
        else { return nil }
        self.init(high: high, max: max, oom: oom, oomKill: oomKill)
    }
}
