/// An object that can throw its content away while it is not in use, and say later that it is gone.
///
/// An access to the content begins with ``beginContentAccess()`` and ends with ``endContentAccess()``. While any is under
/// way the content stays. ``PurgeableData`` does all this for bytes, and `DiscardableObject` of the module
/// `ObjectCache` for any content.
///
/// That module's `Cache` calls these on the thread that reads, changes or warns it, and never while it holds its lock.
public protocol DiscardableContent: AnyObject, Sendable {
    /// Begins an access if the content is there, or can be made again, and tells whether it is (rule 7.12).
    ///
    /// After `false` no access has begun, and there is nothing to end.
    func beginContentAccess() -> Bool
    /// Ends an access (rule 7.12).
    func endContentAccess()
    /// Throws the content away if no access is under way; twice is the same as once (rules 7.12, 7.13).
    func discardContentIfPossible()
    /// Whether the content is gone (rule 7.13).
    var isContentDiscarded: Bool { get }
    /// Whether an access is under way, so that a cache keeps the object at a memory warning (rule 7.10).
    var isContentBeingAccessed: Bool { get }
}
