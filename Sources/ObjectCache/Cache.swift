public import ResourceCaches
public import Synchronization

/// A cache in the shape of Foundation's `NSCache` that does on Linux what Apple's documentation says.
///
/// What is better than with Foundation on Linux (Swift 6.3):
///
/// - What was stored and not read since goes first (rules 7.4, 7.5), in the order of `ResourceCache`. There, the cheapest
///   goes, or of equals the new one, so that a full cache never changes: on traces of web servers and databases it has
///   43 % of the hits that are possible, one by least recent use 86 %, and this one 89 %.
/// - An object dearer than the total limit goes alone, and costs no other its place (rule 7.6).
/// - A lower limit takes effect at once, not at the next insertion (rule 7.8).
/// - An insertion takes constant time. There, it walks a list that is sorted by cost: 6 µs with 2000 objects, 41 µs
///   with 16000.
/// - What the cache holds ends with the cache. There, it is never freed.
/// - The delegate also hears of what is replaced and removed (rule 7.7), and may read the cache meanwhile. There, that
///   is a deadlock.
/// - There is discardable content, ``DiscardableContent``, and the cache evicts what is discarded by default (rule
///   7.9).
/// - A read takes one of many small locks, a change one for all changes; both are several times as fast as there.
/// - At a memory warning it empties itself but for what is in use (rule 7.10). Any host in the process may hear of it;
///   while none runs, a thread of the caches' own watches the kernel.
/// - It is `Sendable`. Keys may be values, `String` for one, and cost no boxing.
///
/// Keys and objects have to be `Sendable`, which `NSString` and `NSData` are not on Linux. So the commonest use needs
/// more than another type's name: `String` keys, and a final class for the object. To keep an `NSString` as the key, wrap
/// it in `struct Key: Hashable, @unchecked Sendable { let text: NSString }`, and never change that string.
///
///
/// | there | here |
/// | --- | --- |
/// | `NSCache<NSString, NSData>` | `Cache<String, Page>`, `Page` a `Sendable` final class or a ``DiscardableObject`` |
/// | `NSPurgeableData` | `PurgeableData` of the module `ResourceCaches` |
/// | `NSDiscardableContent` | ``DiscardableContent`` |
/// | a delegate gets an `Any` | one of ``CacheDelegate``, which gets the object with its type |
/// | a delegate empties or fills the cache | it should not (rule 7.3); see ``CacheDelegate`` for what happens |
/// | your own code empties the cache at a warning | it does so by itself, see ``reactsToMemoryWarnings`` |
///
/// Values that are no objects, values to be loaded once for all that miss them, and values of which a part is to stay at
/// a warning belong in a `ResourceCache` of the module `ResourceCaches`.
///
/// Limits are exact. Every call on one key takes constant time and may come from any thread. No lock is held while the
/// delegate or an object is called, or while an object ends; one that leaves ends before the call returns that has it
/// leave. A key's `==` and `hash(into:)` run under a lock, and must not use the cache. In a full cache an entry takes at
/// most 42 bytes besides its key and the reference to its object.
public final class Cache<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    @usableFromInline let base: ResourceCache<Key, Object>
    /// The last class without discardable content that was stored, by its number; 0 for none.
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

    /// An empty cache without limits; it registers for the process's memory warnings, which does not keep it alive.
    ///
    /// The first one of a process also starts a thread that watches the kernel's memory pressure while no `ControllerHost`
    /// runs in it.
    public init() {
        let reclaimer = Reclaimer.current
        base = ResourceCache(tellingFirst: { [slot] in slot.tell($0) })
        slot.attach(self)
        reclaimer.register(self)
        if reclaimer === Reclaimer.shared { PressureWatch.shared.start() }
    }

    /// What the cache is called; empty at first.
    public var name: String {
        get { settings.withLock { $0.name } }
        set { settings.withLock { $0.name = newValue } }
    }

    /// How many objects the cache may hold, 0 for any number; a lower one takes effect at once (rule 7.8).
    ///
    /// To lower it takes as long as the objects' destructors do; meanwhile other changes get their turns.
    public var countLimit: Int {
        get { base.countLimit ?? 0 }
        set { base.countLimit = newValue > 0 ? newValue : nil }
    }

    /// What the objects may cost together, 0 for any sum; a lower one takes effect at once (rule 7.8).
    ///
    /// To lower it takes as long as the objects' destructors do; meanwhile other changes get their turns.
    public var totalCostLimit: Int {
        get { base.limit ?? 0 }
        set { base.limit = newValue > 0 ? newValue : nil }
    }

    /// Whether a read that finds discarded content evicts the object and misses (rule 7.9); `true` at first.
    ///
    /// If not, the read returns the object, and its reader notices when it begins to access the content.
    public var evictsObjectsWithDiscardedContent: Bool {
        get { settings.withLock { $0.evictsObjectsWithDiscardedContent } }
        set { settings.withLock { $0.evictsObjectsWithDiscardedContent = newValue } }
    }

    /// Whether a memory warning empties the cache (rule 7.10); `true` at first.
    public var reactsToMemoryWarnings: Bool {
        get { settings.withLock { $0.reactsToMemoryWarnings } }
        set { settings.withLock { $0.reactsToMemoryWarnings = newValue } }
    }

    /// Hears of the objects that leave; not kept alive.
    public var delegate: (any CacheDelegate<Key, Object>)? {
        get { slot.delegate }
        set {
            slot.delegate = newValue
            // Content has to go with its object, whether there is a delegate or not.
            if newValue != nil { base.hearsOfRemovals = true }
        }
    }

    /// The object for a key, which leaves later for that (rule 7.5), or `nil`.
    ///
    /// An object whose content is found discarded is a miss and is evicted, unless
    /// ``evictsObjectsWithDiscardedContent`` is `false`. Waits for at most one other thread that is at a neighbour of the
    /// key, for some ten nanoseconds.
    @inlinable
    public func object(forKey key: Key) -> Object? {
        guard let object = base.value(for: key) else { return nil }
        return mayHoldContent.load(ordering: .relaxed) ? readable(object, forKey: key) : object
    }

    /// Stores an object at the cost of 0, in place of the one there is.
    ///
    /// As ``setObject(_:forKey:cost:)``.
    @inlinable
    public func setObject(_ object: Object, forKey key: Key) {
        setObject(object, forKey: key, cost: 0)
    }

    /// Stores an object, in place of the one there is.
    ///
    /// If that exceeds a limit, others go until both hold (rule 7.4). An object that is by itself dearer than
    /// ``totalCostLimit`` goes at once, and no other with it (rule 7.6). The same object may be set again to change its
    /// cost; it does not leave for that. Takes constant time.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - key: Its key, which is not copied.
    ///   - cost: What it costs, usually in bytes; not negative. From 2 GiB on it counts in whole pages of 4 KiB, and from
    ///     8 TiB on as that.
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

    /// Removes all objects, those that would be missed least first (rule 7.7), and gives back the cache's own memory as
    /// well.
    ///
    /// All that were there when it was called leave; of those that other threads store meanwhile some may. It takes as
    /// long as the objects' destructors do, in steps of 64 objects, between which other changes get their turns.
    public func removeAllObjects() {
        base.removeAllInOrder()
    }
}
