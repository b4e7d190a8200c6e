/// Hears of the objects that leave a ``Cache``.
///
/// ```swift
/// final class EvictionLog: CacheDelegate {
///     func cache(_ cache: Cache<String, Page>, willEvictObject page: Page) {
///         print("\(page.bytes.count) bytes leave")
///     }
/// }
///
/// let log = EvictionLog()  // the cache does not keep it alive
/// pages.delegate = log
/// ```
public protocol CacheDelegate<Key, Object>: AnyObject, Sendable {
    /// The keys of the caches that it serves.
    associatedtype Key: Hashable & Sendable
    /// The objects of the caches that it serves.
    associatedtype Object: AnyObject & Sendable

    /// Tells that an object is about to leave: evicted, replaced by another, or removed (rules 7.3, 7.7).
    ///
    /// Called once for each object that leaves, on the thread whose call made it leave, which waits. The cache holds no
    /// lock, so that it can be read; the key still leads to the object, or to the new one if it is replaced. The delegate
    /// should not change the cache here. If it does, nothing traps or waits: the change is made at once, and a nested
    /// call tells of each object that leaves for it. An object that is stored for the same key stays, but a delegate
    /// that makes another leave at each call recurses until the stack overflows. An object that something else holds at
    /// a memory warning leaves, and a read that finds it stores it again: then it leaves once more at the next warning.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - object: The object; its content has not been discarded for this yet.
    func cache(_ cache: Cache<Key, Object>, willEvictObject object: Object)
}
