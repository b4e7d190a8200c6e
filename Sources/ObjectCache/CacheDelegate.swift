/// Hears of the objects that leave a ``Cache``.
public protocol CacheDelegate<Key, Object>: AnyObject, Sendable {
    /// The keys of the caches that it serves.
    associatedtype Key: Hashable & Sendable
    /// The objects of the caches that it serves.
    associatedtype Object: AnyObject & Sendable

    /// Tells that an object is about to leave: evicted, replaced by another, or removed (rules 7.3, 7.7).
    ///
    /// Called once for each object that leaves, on the thread whose call made it leave, which waits. The cache holds no
    /// lock, so that it can be read; the key still leads to the object, or to the new one if it is replaced. The delegate
    /// must not change it here.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - object: The object; its content has not been discarded for this yet.
    func cache(_ cache: Cache<Key, Object>, willEvictObject object: Object)
}
