internal import CLinux

/// How many loads of a process run at once while memory is short, and for 20 s after that.
///
/// Without a limit a process loads at once what a warning has just taken from it. The limit holds for the loads of all
/// caches that suspend: ``ResourceCache/load(_:cost:priority:using:)`` and its like. Those on screen run first, then
/// those off screen, then what is fetched ahead.
///
/// ```swift
/// LoadLimits.process = LoadLimits(atOnce: 16, countedFor: .seconds(10))
/// ```
///
/// **What never waits.** A load inside another load, or one that such a load waits for; a load that blocks its thread;
/// any load while memory is not short. They run beside the limit.
public struct LoadLimits: Sendable, Hashable {
    /// How many loads run at once, at least 1; `nil` for any number.
    public var atOnce: Int? {
        didSet { Self.check(atOnce) }
    }

    /// How long a load counts at most.
    ///
    /// One that takes longer goes on, and the next one begins beside it: loads that never end do not stop all others.
    public var countedFor: Duration

    /// Limits for a process.
    ///
    /// - Parameters:
    ///   - atOnce: How many loads run at once, at least 1. Without it two for each processor: one that computes, and
    ///     one that waits.
    ///   - countedFor: How long a load counts at most.
    public init(atOnce: Int? = LoadLimits.twoForEachProcessor, countedFor: Duration = .seconds(30)) {
        Self.check(atOnce)
        self.atOnce = atOnce
        self.countedFor = countedFor
    }

    /// Two loads for each processor that is online.
    public static var twoForEachProcessor: Int { 2 * max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

    /// No limit: loads begin when they are asked for.
    public static let off = LoadLimits(atOnce: nil)

    private static func check(_ atOnce: Int?) {
        precondition(atOnce ?? 1 > 0, "at least one load runs at once")
    }
}
