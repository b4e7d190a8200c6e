/// Why a load brought nothing, though no loader failed.
public enum CacheLoadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A loader of many keys had no value for this one, or a loader returned
    /// ``ResourceCache/Loaded/unchanged(timeToLive:refreshAfter:)`` without an old value.
    case noValue
    /// A loader asked for the very value that it is to make: in its own task, in a child task (`async let`, task groups),
    /// or in a task that it made with `Task`; also from within other loads that it began.
    ///
    /// Waiting would never end. It is not seen through a detached task or a thread, which know of no loader: they wait,
    /// a task until it is cancelled. Nor is it seen through a load that began elsewhere and waits for the first one.
    case circular

    /// What happened, in one sentence.
    public var description: String {
        switch self {
        case .noValue: "the loader returned no value for this key, or kept an old value where there was none"
        case .circular: "the loader waits for the value that it is to load itself"
        }
    }
}
