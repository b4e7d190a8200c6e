public import MemoryPressure

/// One request to release memory: how urgent, for which cgroup, and why.
///
/// The defaults make a simulated warning. A host receives warnings from its daemon, from the kernel, or from
/// ``ControllerHost/simulateMemoryWarning(_:isolation:)``. ``ControllerHost/deliver(_:isolation:)`` describes their
/// effect.
public struct MemoryWarning: Sendable, Hashable {
    /// How short of memory the scope is; ``PressureLevel/normal`` tells that the pressure is over.
    public var level: PressureLevel
    /// The cgroup that is short, as a path below the root of the hierarchy; `/` is the whole machine.
    public var scope: String
    /// The source of the reading, and the figure that crossed its threshold.
    public var reason: PressureReason
    /// The bytes that this host is asked to release; 0 if the sender does not know.
    ///
    /// The process's caches give the bytes that the controllers have not released, in proportion to their sizes. At
    /// `warning`, this replaces the share that the caches would otherwise give; at `critical`, they give whichever is
    /// more.
    public var bytesWanted: UInt64
    /// Whether the warning was requested (`memwarnd simulate`, a test) and no memory is short; it never changes a
    /// host's level.
    public var isSimulated: Bool
    /// Whether the level is unchanged and persists.
    ///
    /// A host broadcasts a warning of its present level if this is true, if the warning wants bytes, or if it has a
    /// ``round``; otherwise the warning only states the level. Simulated warnings are broadcast always.
    public var isRepeat: Bool
    /// The sender's number of the round that this warning belongs to, or 0.
    ///
    /// Several hosts in one process receive the same round, each of them once. The caches that they share shrink once
    /// for its level, and give the total that it wants of all these hosts. A daemon that restarts continues its numbers.
    /// Equal numbers of two daemons are different rounds.
    public var round: UInt64

    /// A warning; with the defaults a simulated one, which a host broadcasts without changing its level.
    ///
    /// A test that needs ``ControllerHost/level``, its handlers, or a controller that degrades passes `isSimulated:
    /// false`, and ends the pressure with a warning of the level ``PressureLevel/normal``, also with `isSimulated:
    /// false`.
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
