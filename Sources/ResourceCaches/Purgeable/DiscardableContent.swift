/// An object that can discard its content while the content is not in use, and report later that it is gone.
///
/// An access to the content begins with ``beginContentAccess()`` and ends with ``endContentAccess()``. The content
/// stays while any access is under way. ``PurgeableData`` implements this for bytes, and `DiscardableObject` of the
/// module `ObjectCache` for any content.
///
/// That module's `Cache` calls these on the thread that reads, changes or warns it, and never while it holds its lock.
public protocol DiscardableContent: AnyObject, Sendable {
    /// Begins an access if the content exists or can be recreated, and returns whether it did (rule 7.12).
    ///
    /// After `false` no access has begun, and there is nothing to end.
    func beginContentAccess() -> Bool
    /// Ends an access (rule 7.12).
    func endContentAccess()
    /// Discards the content if no access is under way; a second call has no effect (rules 7.12, 7.13).
    func discardContentIfPossible()
    /// Whether the content is discarded (rule 7.13).
    var isContentDiscarded: Bool { get }
    /// Whether an access is under way, so that a cache keeps the object at a memory warning (rule 7.10).
    var isContentBeingAccessed: Bool { get }
}
