/// The purpose for which a value is held or loaded: it decides how long the value stays and how soon it is loaded.
///
/// The names are those of an interface; in a service, *on screen* is what is in service now. The order is the order of
/// importance: under pressure prefetched values leave first, and values on screen are loaded first.
public enum CachePriority: UInt8, Comparable, CaseIterable, Sendable {
    /// Loaded ahead of need; it may never be read.
    case prefetched = 0
    /// Requested, but not needed at this moment.
    case offScreen = 1
    /// Needed now: by a request that is being answered, or a view on window.
    case onScreen = 2

    /// Whether `left` is less important than `right`.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}
