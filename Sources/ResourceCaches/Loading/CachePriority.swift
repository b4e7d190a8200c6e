/// What a value is held or loaded for, and so how long it stays and how soon it is loaded.
///
/// The names are those of an interface; in a service, *on screen* is what is in service now. The order is the order of
/// importance: under pressure what is fetched ahead goes first, and what is on screen is loaded first.
public enum CachePriority: UInt8, Comparable, CaseIterable, Sendable {
    /// Fetched ahead of need; it may never be read.
    case prefetched = 0
    /// Asked for, and not waited for now.
    case offScreen = 1
    /// Needed by what is in service now: a request that is being answered, a view on window.
    case onScreen = 2

    /// Whether `left` is less important than `right`.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}
