/// Why a load returned nothing although no loader failed.
public enum CacheLoadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A loader of many keys had no value for this key, or a loader returned
    /// ``ResourceCache/Loaded/unchanged(timeToLive:refreshAfter:)`` without an old value.
    case noValue
    /// A loader requested the value that it is loading: in its own task, in a child task (`async let`, task groups), or
    /// in a task that it created with `Task`; also from within other loads that it began.
    ///
    /// The wait would never end. It is not detected through a detached task or a thread, which belong to no loader:
    /// they wait, a task until it is cancelled. It is not detected either through a load that began elsewhere and waits
    /// for the first one.
    case circular

    /// The error, in one sentence.
    public var description: String {
        switch self {
        case .noValue: "the loader returned no value for a key, or “unchanged” without an old value"
        case .circular: "a loader requested the value that it is loading; let it make the value without this key"
        }
    }
}
