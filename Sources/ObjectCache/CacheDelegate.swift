/// Is told about the objects that leave a ``Cache``.
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

    /// Called before an object leaves: it is evicted, replaced by another, or removed (rules 7.3, 7.7).
    ///
    /// Called each time that an object leaves, once, on the thread whose call makes it leave; that call waits. The cache
    /// holds no lock, so the delegate may read it; the key still leads to the object, or to the new object if it is
    /// replaced. The delegate should not change the cache here. If it does, nothing traps or waits: the change takes
    /// effect at once, and a nested call reports each object that leaves because of it. An object that is stored for
    /// the same key stays, but a delegate that makes another object leave at each call recurses until the stack
    /// overflows. An object that other code holds at a memory warning leaves, and a read that finds it stores it again:
    /// then it leaves once more at the next warning.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - object: The object; the cache has not discarded its content yet.
    func cache(_ cache: Cache<Key, Object>, willEvictObject object: Object)
}
