internal import ResourceCaches

/// A cache in the shape of Foundation's `NSCache` that does on Linux what Apple's documentation says.
///
/// What is better than with Foundation on Linux (Swift 6.3):
///
/// - The least recently used object goes first (rule 7.4), and a read is a use (rule 7.5). There, the cheapest goes,
///   or of equals the new one, so that a full cache never changes: on traces of web servers and databases it has half
///   of the hits that are possible, and one by least recent use has five of six.
/// - An object dearer than the total limit goes alone, and costs no other its place (rule 7.6).
/// - A lower limit takes effect at once, not at the next insertion (rule 7.8).
/// - An insertion takes constant time. There, it walks a list that is sorted by cost: 6 µs with 2000 objects, 41 µs
///   with 16000.
/// - What the cache holds ends with the cache. There, it is never freed.
/// - The delegate also hears of what is replaced and removed (rule 7.7), and may read the cache meanwhile. There, that
///   is a deadlock.
/// - There is discardable content, ``DiscardableContent``, and the cache evicts what is discarded by default (rule
///   7.9).
/// - At a memory warning that any host in the process hears, it empties itself but for what is in use (rule 7.10).
/// - It is `Sendable`. Keys may be values, `String` for one, and cost no boxing.
///
/// Code moves to it by a change of the type's name, where keys and objects are `Sendable`:
///
/// | there | here |
/// | --- | --- |
/// | `NSCache<NSString, NSData>` | `Cache<String, Page>`, `Page` a final class or a ``DiscardableObject`` |
/// | `NSPurgeableData` | `PurgeableData` of the module `ResourceCaches` |
/// | `NSDiscardableContent` | ``DiscardableContent`` |
/// | a delegate gets an `Any` | one of ``CacheDelegate``, which gets the object with its type |
/// | a delegate empties or fills the cache | it must not change it (rule 7.3) |
/// | your own code empties the cache at a warning | it does so by itself, see ``reactsToMemoryWarnings`` |
///
/// What is no object, what is to be loaded once for all who miss it, and what is to stay in part at a warning, belongs
/// into a `ResourceCache` of the module `ResourceCaches`.
///
/// Limits are exact. Every call on one key takes constant time under one lock and may come from any thread. The lock is
/// not held while the delegate or an object is called, or while an object ends.
public final class Cache<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    let state = Guarded(State())

    /// An empty cache without limits; it registers for the process's memory warnings, which does not keep it alive.
    public init() {
        Reclaimer.current.register(self)
    }

    /// What the cache is called; empty at first.
    public var name: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// How many objects the cache may hold, 0 for any number; a lower one takes effect at once (rule 7.8).
    public var countLimit: Int {
        get { state.withLock { $0.countLimit } }
        set {
            evict { state in
                state.countLimit = newValue
                return state.enforceLimits()
            }
        }
    }

    /// What the objects may cost together, 0 for any sum; a lower one takes effect at once (rule 7.8).
    public var totalCostLimit: Int {
        get { state.withLock { $0.totalCostLimit } }
        set {
            evict { state in
                state.totalCostLimit = newValue
                return state.enforceLimits()
            }
        }
    }

    /// Whether a read that finds discarded content evicts the object and misses (rule 7.9); `true` at first.
    ///
    /// If not, the read returns the object, and its reader notices when he begins to access the content.
    public var evictsObjectsWithDiscardedContent: Bool {
        get { state.withLock { $0.evictsObjectsWithDiscardedContent } }
        set { state.withLock { $0.evictsObjectsWithDiscardedContent = newValue } }
    }

    /// Whether a memory warning empties the cache (rule 7.10); `true` at first.
    public var reactsToMemoryWarnings: Bool {
        get { state.withLock { $0.reactsToMemoryWarnings } }
        set { state.withLock { $0.reactsToMemoryWarnings = newValue } }
    }

    /// Hears of the objects that leave; not kept alive.
    public var delegate: (any CacheDelegate<Key, Object>)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The object for a key, which becomes the most recently used (rule 7.5), or `nil`.
    ///
    /// An object whose content is found discarded is a miss and is evicted, unless
    /// ``evictsObjectsWithDiscardedContent`` is `false`.
    public func object(forKey key: Key) -> Object? {
        let (found, evictsDiscarded) = state.withLock { ($0.use(key), $0.evictsObjectsWithDiscardedContent) }
        guard let found else { return nil }
        guard evictsDiscarded, let content = found.content, content.isContentDiscarded else { return found.object }
        evict { $0.remove(found) }
        return nil
    }

    /// Stores an object at the cost of 0 as the most recently used, in place of the one there is.
    ///
    /// As ``setObject(_:forKey:cost:)``.
    public func setObject(_ object: Object, forKey key: Key) {
        setObject(object, forKey: key, cost: 0)
    }

    /// Stores an object as the most recently used, in place of the one there is.
    ///
    /// If that exceeds a limit, the least recently used go until both hold (rule 7.4). An object that is by itself
    /// dearer than ``totalCostLimit`` goes at once, and no other with it (rule 7.6). The same object may be set again
    /// to change its cost; it does not leave for that.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - key: Its key, which is not copied.
    ///   - cost: What it costs, usually in bytes; not negative.
    public func setObject(_ object: Object, forKey key: Key, cost: Int) {
        precondition(cost >= 0, "the cost of a cache entry is not negative, but this is \(cost)")
        let entry = Entry(key: key, object: object, cost: cost)
        // Its key may be another object than the new one's, and must not end under the lock.
        var former: Entry?
        evict { state in
            let (gone, same) = state.insert(entry)
            former = same
            return gone
        }
        withExtendedLifetime(former) {}
    }

    /// Removes the object for a key; does nothing if there is none (rule 7.7).
    public func removeObject(forKey key: Key) {
        evict { $0.remove(key) }
    }

    /// Removes all objects, the least recently used first (rule 7.7), and gives back the cache's own memory as well.
    public func removeAllObjects() {
        evict { $0.removeAll() }
    }
}
