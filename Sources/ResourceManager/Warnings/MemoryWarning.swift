public import MemoryPressure

/// One request to give memory back: how urgent, for which cgroup, and why.
///
/// With the defaults it is what a simulation sends. A host gets one from its daemon, from the kernel, or from
/// ``ControllerHost/simulateMemoryWarning(_:isolation:)``; see ``ControllerHost/deliver(_:isolation:)`` for what it does.
public struct MemoryWarning: Sendable, Hashable {
    /// How short of memory the scope is; ``PressureLevel/normal`` says that it no longer is.
    public var level: PressureLevel
    /// The cgroup that is short, as a path below the root of the hierarchy; `/` is the whole machine.
    public var scope: String
    /// What was looked at, and the figure that crossed its threshold.
    public var reason: PressureReason
    /// How many bytes this host is asked for; 0 if the sender does not know.
    ///
    /// The process's caches give what the controllers have not, in proportion to what they hold. At a warning that takes
    /// the place of the share that they give otherwise; at critical they give whichever is more.
    public var bytesWanted: UInt64
    /// Whether the warning was asked for (`memwarnd simulate`, a test) and no memory is short: it never changes a host's level.
    public var isSimulated: Bool
    /// Whether the level is an old one that persists.
    public var isRepeat: Bool
    /// The sender's number of the round that this warning belongs to, or 0.
    ///
    /// Several hosts in one process hear the same round, each of them once; the caches they share follow its level once, and
    /// give what it wants of all hosts together.
    public var round: UInt64

    /// A warning; with the defaults a simulated one.
    public init(
        level: PressureLevel,
        scope: String = "/",
        reason: PressureReason = .simulation,
        bytesWanted: UInt64 = 0,
        isSimulated: Bool = true,
        isRepeat: Bool = false,
        round: UInt64 = 0
    ) {
        self.level = level
        self.scope = scope
        self.reason = reason
        self.bytesWanted = bytesWanted
        self.isSimulated = isSimulated
        self.isRepeat = isRepeat
        self.round = round
    }
}
