public import ResourceCaches
public import Synchronization

/// A cache in the shape of Foundation's `NSCache` that does on Linux what Apple's documentation says.
///
/// Advantages over Foundation on Linux (Swift 6.3):
///
/// - Objects leave in the order of `ResourceCache` (rules 7.4, 7.5): in general, those that were not read leave first.
///   In Foundation the cheapest object leaves, and among equals the new one, so that a full cache never changes: on
///   traces of web servers and databases it reaches 43 % of the possible hits, a least-recently-used cache 86 %, and
///   this one 89 %.
/// - An object whose cost exceeds the total limit leaves alone, and evicts no other object (rule 7.6).
/// - A lower limit takes effect at once, not at the next insertion (rule 7.8).
/// - An insertion takes constant time. In Foundation it walks a list that is sorted by cost: 6 µs with 2000 objects, 41
///   µs with 16000.
/// - The contents are destroyed together with the cache. In Foundation they are never freed.
/// - The delegate is also told about replaced and removed objects (rule 7.7), and may read the cache during the call.
///   In Foundation that is a deadlock.
/// - Objects may have discardable content, `DiscardableContent`; the cache evicts objects with discarded content by
///   default (rule 7.9).
/// - A read takes one of many small locks, a change takes one lock for all changes; both are several times as fast as
///   in Foundation.
/// - At a memory warning the cache drops everything except discardable content that is being accessed. An object with
///   another owner leaves as well, is not counted as released, and a read finds it as long as it lives (rule 7.10). The
///   warning may come from any host in the process; while none runs, a thread of the caches watches the kernel.
/// - It is `Sendable`. Keys may be values, `String` for one, and cost no boxing.
///
/// Keys and objects have to be `Sendable`, which `NSString` and `NSData` are not on Linux. So the most common use needs
/// more than another type name: `String` keys, and a final class for the object. To keep an `NSString` as the key, wrap
/// it in `struct Key: Hashable, @unchecked Sendable { let text: NSString }`, and never change that string.
///
/// | Foundation | ObjectCache |
/// | --- | --- |
/// | `NSCache<NSString, NSData>` | `Cache<String, Page>`, `Page` a `Sendable` final class or a ``DiscardableObject`` |
/// | `NSPurgeableData` | `PurgeableData` of the module `ResourceCaches` |
/// | `NSDiscardableContent` | `DiscardableContent` |
/// | a delegate gets an `Any` | one of ``CacheDelegate``, which gets the object with its type |
/// | a delegate empties or fills the cache | it should not (rule 7.3); see ``CacheDelegate`` for what happens |
/// | your own code empties the cache at a warning | the cache empties itself, see ``reactsToMemoryWarnings`` |
///
/// Use a `ResourceCache` of the module `ResourceCaches` for values that are not objects, values that all concurrent
/// misses load once, and values that should leave only in part at a warning.
///
/// Limits are exact. Every call on one key takes constant time and may come from any thread. No lock is held while the
/// delegate or an object is called, or while an object is destroyed; the call that removes an object destroys it before
/// it returns. A key's `==` and `hash(into:)` run under a lock, and must not use the cache. In a full cache an entry
/// takes at most 42 bytes in addition to its key and the reference to its object.
public final class Cache<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    @usableFromInline let base: ResourceCache<Key, Object>
    /// The number of the last stored class without discardable content; 0 for none.
    @usableFromInline let plainClass = Atomic<UInt>(0)
    /// Whether an object with discardable content was ever stored.
    @usableFromInline let mayHoldContent = Atomic<Bool>(false)
    private let slot = DelegateSlot<Key, Object>()
    private let settings = Guarded(Settings())

    private struct Settings {
        var name = ""
        var evictsObjectsWithDiscardedContent = true
        var reactsToMemoryWarnings = true
    }

    /// Creates an empty cache without limits.
    ///
    /// It registers for the process's memory warnings, which does not keep it alive.
    ///
    /// The first cache of a process also starts a thread that watches the kernel's memory pressure while no
    /// `ControllerHost` runs.
    public init() {
        let reclaimer = Reclaimer.current
        base = ResourceCache(tellingFirst: { [slot] in slot.tell($0) })
        slot.attach(self)
        reclaimer.register(self)
        if reclaimer === Reclaimer.shared { PressureWatch.shared.start() }
    }

    /// The name of the cache; empty at first.
    public var name: String {
        get { settings.withLock { $0.name } }
        set { settings.withLock { $0.name = newValue } }
    }

    /// How many objects the cache may hold, 0 for any number; a lower one takes effect at once (rule 7.8).
    ///
    /// Lowering it takes as long as the destructors of the objects that leave; other changes get their turns in
    /// between.
    public var countLimit: Int {
        get { base.countLimit ?? 0 }
        set { base.countLimit = newValue > 0 ? newValue : nil }
    }

    /// The maximum total cost of the objects, 0 for any; a lower one takes effect at once (rule 7.8).
    ///
    /// Lowering it takes as long as the destructors of the objects that leave; other changes get their turns in
    /// between.
    public var totalCostLimit: Int {
        get { base.limit ?? 0 }
        set { base.limit = newValue > 0 ? newValue : nil }
    }

    /// Whether a read that finds discarded content evicts the object and misses (rule 7.9); `true` at first.
    ///
    /// If `false`, the read returns the object, and its reader finds out when it begins to access the content.
    public var evictsObjectsWithDiscardedContent: Bool {
        get { settings.withLock { $0.evictsObjectsWithDiscardedContent } }
        set { settings.withLock { $0.evictsObjectsWithDiscardedContent = newValue } }
    }

    /// Whether a memory warning empties the cache (rule 7.10); `true` at first.
    public var reactsToMemoryWarnings: Bool {
        get { settings.withLock { $0.reactsToMemoryWarnings } }
        set { settings.withLock { $0.reactsToMemoryWarnings = newValue } }
    }

    /// Is told about objects that leave; not kept alive.
    public var delegate: (any CacheDelegate<Key, Object>)? {
        get { slot.delegate }
        set {
            slot.delegate = newValue
            // Content has to be discarded with its object, whether or not there is a delegate.
            if newValue != nil { base.notifiesRemovals = true }
        }
    }

    /// The object for a key, or `nil`; the read delays its eviction (rule 7.5).
    ///
    /// An object whose content is found discarded is a miss and is evicted, unless
    /// ``evictsObjectsWithDiscardedContent`` is `false`. Waits for at most one other thread that uses a neighbour of
    /// the key, for some ten nanoseconds.
    @inlinable
    public func object(forKey key: Key) -> Object? {
        guard let object = base.value(for: key) else { return nil }
        return mayHoldContent.load(ordering: .relaxed) ? readable(object, forKey: key) : object
    }

    /// Stores an object with a cost of 0; replaces the present one.
    ///
    /// As ``setObject(_:forKey:cost:)``.
    @inlinable
    public func setObject(_ object: Object, forKey key: Key) {
        setObject(object, forKey: key, cost: 0)
    }

    /// Stores an object; replaces the present one.
    ///
    /// If that exceeds a limit, others leave until both limits hold (rule 7.4). An object whose own cost exceeds
    /// ``totalCostLimit`` leaves at once, and no other with it (rule 7.6). The same object may be set again to change
    /// its cost; it does not leave then. Takes constant time.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - key: Its key, which is not copied.
    ///   - cost: Its cost, usually in bytes; not negative. A cost of 2 GiB or more counts in whole pages of 4 KiB,
    ///     rounded up, and a cost of 8 TiB or more as 4 KiB less than 8 TiB.
    @inlinable
    public func setObject(_ object: Object, forKey key: Key, cost: Int) {
        precondition(cost >= 0, "the cost of a cache entry is not negative, but this is \(cost)")
        noteContent(of: object)
        base.insert(object, for: key, cost: cost)
    }

    /// Removes the object for a key; does nothing if there is none (rule 7.7).
    public func removeObject(forKey key: Key) {
        base.remove(key)
    }

    /// Removes all objects, the least valuable first (rule 7.7), and gives back the cache's own memory as well.
    ///
    /// All objects that are present at the call leave; some of those that other threads store during the call may leave
    /// as well. It takes as long as the objects' destructors, in steps of 64 objects; other changes get their turns in
    /// between. If a memory warning comes meanwhile, objects in use leave as well.
    public func removeAllObjects() {
        base.removeAllInOrder()
    }
}
