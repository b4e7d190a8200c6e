internal import CLinux

/// The limits of concurrent loads in a process while memory is short, and for 20 s after that.
///
/// Without a limit a process reloads at once everything that a warning has just taken from it. The limit applies to the
/// suspending loads of all caches: ``ResourceCache/load(_:cost:priority:using:)`` and its variants. Loads on screen run
/// first, then those off screen, then prefetching loads.
///
/// ```swift
/// LoadLimits.process = LoadLimits(atOnce: 16, countedFor: .seconds(10))
/// ```
///
/// **Loads that never wait:** a load inside another load, or a load for which that one waits; a load that blocks its
/// thread; any load while memory is not short. They do not count.
///
/// **A loader that waits for a load of another task** keeps its turn meanwhile, and the other load may wait for a turn:
/// if all turns are kept in this way, nothing continues until a load has counted for ``countedFor``. Load such values in
/// the loader's own task or in child tasks; only these, and tasks that they create without detaching them, are inside
/// the load.
public struct LoadLimits: Sendable, Hashable {
    /// The number of concurrent loads, `nil` for any number; a number below 1 traps.
    public var atOnce: Int? {
        didSet { Self.check(atOnce) }
    }

    /// How long a load counts.
    ///
    /// A load that takes longer continues, and the next one begins beside it: loads that never end do not stop all
    /// others.
    public var countedFor: Duration

    /// Creates limits for a process.
    ///
    /// - Parameters:
    ///   - atOnce: The number of concurrent loads, `nil` for any number; a number below 1 traps. By default two for
    ///     each processor: one that computes, and one that waits.
    ///   - countedFor: How long a load counts.
    public init(atOnce: Int? = LoadLimits.twoForEachProcessor, countedFor: Duration = .seconds(30)) {
        Self.check(atOnce)
        self.atOnce = atOnce
        self.countedFor = countedFor
    }

    /// Two loads for each online processor.
    public static var twoForEachProcessor: Int { 2 * max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

    /// No limit: loads begin when they are requested.
    public static let off = LoadLimits(atOnce: nil)

    private static func check(_ atOnce: Int?) {
        precondition(atOnce ?? 1 > 0, "at least one load runs at once; nil means any number")
    }
}
