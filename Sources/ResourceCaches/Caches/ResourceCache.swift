public import CLinux
internal import MemoryPressure

/// A cache of values that can be made again; it shrinks automatically when memory is short.
///
/// ```swift
/// var options = ResourceCache<String, [UInt8]>.Options()
/// options.weigher = { path, page in path.utf8.count + page.count }
/// let pages = ResourceCache<String, [UInt8]>("pages", limit: 256 << 20, options: options)
/// let page = try await pages.load("index") { path in try await render(path) }
/// ```
///
/// It may be used from any thread and any isolation, and needs no host. A **read** takes one of many small locks, for some
/// ten nanoseconds: it waits for a thread that reads or changes one of the eleven or so keys beside its own, and for no
/// other. A **change** is atomic for one key, takes constant time under one lock for all changes, and waits for no reader
/// that keeps its lock for longer than some microseconds.
///
/// **Code of the service** runs outside all locks: loaders, weighers, removal handlers, the closures of
/// ``withValue(for:_:)`` and ``update(_:cost:priority:timeToLive:_:)``, and the `deinit` of keys and values may all use
/// the same cache. Three things run under a lock and must not use it: a key's `==` and `hash(into:)`, and a clock given
/// by ``Options/useClock(_:)``. A debug build stops with a message if a key's `==` does.
///
/// **A key equals itself.** A key that does not, such as NaN, never finds a value: each call loads one for itself, and a
/// value that is stored for it only takes room until it leaves.
///
/// **What leaves.** Above the ``limit`` entries leave in the order of S3-FIFO: in a cache that has been full, a new
/// value enters a small queue, whose oldest values leave first unless they were read, so that a scan through many
/// values does not displace values in use. Values that are ``CachePriority/prefetched`` leave before all others, values
/// that are ``CachePriority/onScreen`` after all others, and pinned values neither for a limit nor at a warning.
///
/// **When memory is short.** At each memory warning that a `ControllerHost` in the process receives, the cache keeps
///
/// | level | share of its present cost |
/// | --- | --- |
/// | warning | at most 50 % |
/// | critical | at most 10 % |
///
/// If a daemon asks for a number of bytes, the cache gives its part of them instead; at critical it gives the larger
/// amount. If no value has a cost, the shares apply to the number of values. Values on screen and pinned values stay.
/// An object that leaves at a warning while the service still uses it frees nothing, so it is not counted as released,
/// and reads find it for as long as it lives: the cache keeps a weak reference to it. An object that leaves for a limit
/// or a trim is not found again. A cache that held a cost at the warning does not grow beyond the cost that it kept
/// until 2 s after the end of pressure, and then by 7.5 % of its former cost a second until it may hold that cost; 1 %
/// of the limit, and 1 MiB, are always allowed. It registers for warnings when it is created; the registration does not
/// keep it alive.
///
/// **When values are destroyed.** The call that removes a value destroys it before it returns; if a reader still uses
/// the value, that reader destroys it when it is done. No destruction is deferred.
///
/// In a full cache an entry takes at most 42 bytes in addition to its key and value, and 32 more if it can expire. The
/// memory stays at what the largest number of entries took until a trim, a lowered limit, ``removeAll()`` or a warning
/// returns the unused part.
///
/// **Large values** belong in a class or an array, which the cache refers to. A struct is stored in the cache's memory
/// itself and copied several times on the caller's stack: a hit takes four times its size, an insertion 16 times, and
/// ``value(for:cost:priority:orLoad:)`` 38 times: with structs of 64 KiB, a thread needs a stack of 4 MiB for that.
public final class ResourceCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // `@unchecked`: the policy's lock guards the mutable state; the view is made for several threads, and does not
    // change.

    /// The name of the cache in reports.
    public let name: String
    @usableFromInline let view: CacheView.Pointer
    // Reached through `withCore(_:)`.
    @usableFromInline let core: CacheCore.Pointer
    let options: Options
    // The options that every change reads.
    @usableFromInline let weigher: (@Sendable (_ key: Key, _ value: Value) -> Int)?
    /// Whether the removal handler is called before a value is destroyed, with the value still visible to reads.
    ///
    /// The handler is also told of values that are not kept because of their cost, but not of an object that replaces
    /// itself.
    @usableFromInline let tellsFirst: Bool
    /// Whether keys are objects.
    @usableFromInline let hasObjectKeys =
        Key.self is any AnyObject.Type && MemoryLayout<Key>.size == MemoryLayout<UInt>.size
    /// The times of entries without times of their own.
    @usableFromInline let times: CacheTimes?
    /// Loads under way, and failed ones; the policy's lock guards them.
    var loading = LoadBook<Key, Value>() { didSet { core.pointee.isLoading = loading.recordsChanges } }
    /// Objects that left while the service used them; the policy's lock guards them.
    var weakValues = WeakValues<Key>() {
        didSet {
            countWeakValues()
            if !weakValues.isEmpty { expectAbsentees() }
        }
    }
    /// The number of them that the reclaimer's number contains.
    private var countedWeakValues = 0
    /// Values that the removal handler is being told about; the policy's lock guards them.
    var leaving = LeavingValues<Key, Value>() { didSet { if !leaving.isEmpty { expectAbsentees() } } }
    let reclaimer: Reclaimer
    let references: SoleReference<Value>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - name: The name of the cache in reports.
    ///   - limit: The maximum cost, usually in bytes; `nil` for no limit except memory pressure; a negative limit
    ///     counts as 0. Values stored without a cost, and without an ``Options/weigher``, cost 1 each.
    ///   - options: Further options.
    public convenience init(_ name: String, limit: Int? = nil, options: Options = Options()) {
        self.init(name, limit: limit, options: options, references: SoleReference(), tellsFirst: false)
        reclaimer.register(self)
    }

    /// Creates an empty cache that receives no memory warnings.
    init(_ name: String, limit: Int?, options: Options, references: SoleReference<Value>, tellsFirst: Bool) {
        self.name = name
        self.options = options
        reclaimer = .current
        self.references = references
        self.tellsFirst = tellsFirst
        weigher = options.weigher
        times = options.times(toLive: nil)
        core = .allocate(capacity: 1)
        core.initialize(
            to: CacheCore(
                layout: Self.layout,
                limits: CacheLimits(hard: limit, soft: options.softLimit),
                clock: options.clock ?? reclaimer.clock
            )
        )
        core.pointee.notifiesRemovals = options.onRemoval != nil && !tellsFirst
        core.pointee.screenYields = tellsFirst
        view = core.pointee.view
    }

    private func countWeakValues() {
        guard weakValues.count != countedWeakValues else { return }
        reclaimer.weakReferences.add(weakValues.count - countedWeakValues)
        countedWeakValues = weakValues.count
    }

    deinit {
        reclaimer.weakReferences.add(-countedWeakValues)
        // No other thread has a reference, so nothing is locked; values that are destroyed here cannot reach the cache.
        var next = EntryStore.first
        while let entry = core.pointee.store.entry(from: &next) {
            guard core.pointee.isListed(entry) else { continue }
            key(of: entry).deinitialize(count: 1)
            value(of: entry).deinitialize(count: 1)
        }
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Calls `body` with the core, under the policy's lock, which guards it.
    ///
    /// The result of the closure is copied before the lock is freed.
    @inlinable @inline(__always)
    func withCore<Result>(_ body: (CacheCore.Pointer) -> Result) -> Result {
        if CacheView.checksComparisons { view.pointee.refuseUseInComparison() }
        let lock = view.pointee.policyLock
        lock_word_take(lock)
        let result = body(core)
        lock_word_free(lock)
        return result
    }

    /// Changes entries under the policy's lock, and then destroys the values that left.
    ///
    /// - Parameter attempt: Called until it is done, each time without departures.
    @inlinable @inline(__always)
    func change(_ attempt: (CacheCore.Pointer, inout Departures<Key, Value>) -> Attempt) {
        while true {
            var departures = Departures<Key, Value>()
            var pages = LeavingPages.Piece()
            var notifiesRemovals = false
            let attempt = withCore { core in
                notifiesRemovals = core.pointee.notifiesRemovals
                let keepsReadable = notifiesRemovals && tellsFirst
                if keepsReadable { expectAbsentees() }
                let attempt = attempt(core, &departures)
                if keepsReadable { keepReadable(&departures) }
                if view.pointee.mayHaveAbsentees { noteAbsentees() }
                if !core.pointee.leavingPages.isEmpty { pages = core.pointee.leavingPages.take() }
                return attempt
            }
            if notifiesRemovals { tell(departures) }
            // The values that left are destroyed here, with no lock held.
            withExtendedLifetime(departures) {}
            if !pages.isEmpty { pages.unmap() }
            switch attempt {
            case .done:
                // The caller's next change takes the lock again at once.
                if Self.copiesLong { view.pointee.giveWayBriefly() }
                return
            case .more: view.pointee.giveWay()
            case .busy(let hash): view.pointee.waitForBucket(of: hash)
            }
        }
    }

    /// Tells the removal handler which values left; without any lock.
    @usableFromInline
    func tell(_ departures: Departures<Key, Value>) {
        let removals = departures.removals
        if !removals.isEmpty { options.onRemoval?(removals) }
    }
}

// Values that have left and can still be found.
extension ResourceCache {
    /// Keeps values visible to reads while the removal handler is told about them.
    ///
    /// The caller holds the policy's lock, and has called ``expectAbsentees()`` before the values left.
    @usableFromInline
    func keepReadable(_ departures: inout Departures<Key, Value>) {
        for removal in departures.removals where find(removal.key, hash: hash(of: removal.key)) == 0 {
            if let former = leaving.add(removal.value, for: removal.key) { departures.add(other: former) }
        }
    }

    /// Makes each read that finds an empty bucket look once more under the policy's lock, until ``noteAbsentees()``.
    ///
    /// The caller holds that lock, and calls this before it takes entries out of their buckets that can be found elsewhere only
    /// later.
    @usableFromInline
    func expectAbsentees() {
        view.pointee.setHasAbsentees(true)
    }

    /// Ends that, unless values can still be found elsewhere.
    ///
    /// The caller holds the policy's lock, and calls this at the end of a step: an object that moves from one place to another
    /// may be in neither in between, and a read that found nothing then would miss it. After a step that does not call it, reads
    /// look twice in vain, until the next one.
    @usableFromInline
    func noteAbsentees() {
        if weakValues.isEmpty, leaving.isEmpty { view.pointee.setHasAbsentees(false) }
    }

    /// Calls `body`, which takes entries out of their buckets before they can be found elsewhere.
    ///
    /// The caller holds the policy's lock.
    func expectingAbsentees<Result>(_ body: () -> Result) -> Result {
        guard references.isOfObjects || tellsFirst else { return body() }
        expectAbsentees()
        defer { noteAbsentees() }
        return body()
    }
}

// The memory of an entry's key and value.
extension ResourceCache {
    @inlinable static var valueOffset: Int { align(MemoryLayout<Key>.size, to: MemoryLayout<Value>.alignment) }

    @inlinable static var pairStride: Int {
        align(max(1, valueOffset + MemoryLayout<Value>.size), to: MemoryLayout<(Key, Value)>.alignment)
    }

    /// The layout of the view, which the compiler turns into constants.
    @inlinable static var layout: EntryLayout { EntryLayout(pairStride: pairStride) }

    /// Whether copying a value takes so long that a thread that waits for the policy's lock falls asleep meanwhile.
    ///
    /// A thread that changes the cache again and again would then take the lock before a woken thread does, for tens of
    /// milliseconds.
    @inlinable static var copiesLong: Bool { pairStride >= 4096 }

    @inlinable
    static func align(_ offset: Int, to alignment: Int) -> Int {
        (offset + alignment - 1) & ~(alignment - 1)
    }

    @inlinable @inline(__always)
    func key(of entry: UInt32) -> UnsafeMutablePointer<Key> {
        view.pointee.pair(of: entry, Self.layout).assumingMemoryBound(to: Key.self)
    }

    @inlinable @inline(__always)
    func value(of entry: UInt32) -> UnsafeMutablePointer<Value> {
        (view.pointee.pair(of: entry, Self.layout) + Self.valueOffset).assumingMemoryBound(to: Value.self)
    }

    /// The entry of a key in its bucket, or 0; with the lock of the bucket or of the policy.
    @inlinable @inline(__always)
    func find(_ key: Key, hash: UInt32, in bucket: Bucket) -> UInt32 {
        let tag = Bucket.tag(of: hash)
        let matches = bucket.matches(tag)
        if matches != 0 {
            let entry = bucket.entry(matches.trailingZeroBitCount)
            if isKey(key, self.key(of: entry)) { return entry }
        } else if bucket.next == 0 {
            return 0
        }
        return findFurther(key, tag: tag, in: bucket, after: matches)
    }

    /// Continues the search if the first entry with a tag has another key, or if a bucket has further lines.
    // Not inlined, since only one read in twenty needs it.
    @inlinable @inline(never)
    func findFurther(_ key: Key, tag: UInt8, in bucket: Bucket, after first: UInt32) -> UInt32 {
        var line = bucket
        var matches = first & (first &- 1)
        while true {
            while matches != 0 {
                let entry = line.entry(matches.trailingZeroBitCount)
                if isKey(key, self.key(of: entry)) { return entry }
                matches &= matches &- 1
            }
            let next = line.next
            if next == 0 { return 0 }
            line = view.pointee.overflow[next]
            matches = line.matches(tag)
        }
    }

    @inlinable @inline(__always)
    func isKey(_ key: Key, _ other: UnsafeMutablePointer<Key>) -> Bool {
        // An object equals itself, and many types would compare the contents of the same object.
        if !Self.hasIntegerKeys, hasObjectKeys, isSameReference(key, other.pointee) { return true }
        guard CacheView.checksComparisons else { return other.pointee == key }
        let outer = view.pointee.beginComparison()
        defer { view.pointee.endComparison(outer) }
        return other.pointee == key
    }

    /// A constant where the compiler knows the type.
    @inlinable static var hasIntegerKeys: Bool {
        @inline(__always) get { Key.self == Int.self || Key.self == UInt64.self || Key.self == UInt32.self }
    }

    @inlinable @inline(__always)
    func isSameReference(_ key: Key, _ other: Key) -> Bool {
        unsafeBitCast(key, to: UInt.self) == unsafeBitCast(other, to: UInt.self)
    }

    /// The entry of a key, or 0; with the policy's lock.
    @inlinable @inline(__always)
    func find(_ key: Key, hash: UInt32) -> UInt32 {
        find(key, hash: hash, in: view.pointee.bucket(of: hash))
    }

    /// Moves out the key and value of an entry that is no longer listed.
    ///
    /// The caller holds the policy's lock.
    @inlinable @inline(__always)
    func takeOut(
        _ entry: UInt32,
        _ core: CacheCore.Pointer,
        because reason: RemovalReason
    ) -> CacheRemoval<Key, Value> {
        CacheRemoval(
            key: key(of: entry).move(),
            value: value(of: entry).move(),
            reason: reason,
            cost: core.pointee.free(entry)
        )
    }
}

// The 32 bits by which a cache finds a key.
extension ResourceCache {
    /// The hash of a key; equal keys have equal ones.
    ///
    /// One multiplication mixes integers, in a third of the time of `Hasher`. It also mixes the hashes of other keys,
    /// since some types, such as Foundation's objects, compute their own: those of short strings have no high bits.
    /// These need no seed of the cache: `Hasher` has one, and without it keys with equal hashes collide anyway.
    @inlinable @inline(__always)
    func hash(of key: Key) -> UInt32 {
        if Key.self == Int.self { return mix(UInt64(bitPattern: Int64(unsafeBitCast(key, to: Int.self)))) }
        if Key.self == UInt64.self { return mix(unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == UInt32.self { return mix(UInt64(unsafeBitCast(key, to: UInt32.self))) }
        let hash = UInt64(bitPattern: Int64(key.hashValue))
        return UInt32(truncatingIfNeeded: ((hash ^ hash &>> 32) &* 0x9E37_79B9_7F4A_7C15) &>> 32)
    }

    /// Both halves of a product with an odd number that has bits everywhere, folded.
    @inlinable @inline(__always)
    func mix(_ value: UInt64) -> UInt32 {
        let product = (value ^ view.pointee.seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        let folded = product.high ^ product.low
        return UInt32(truncatingIfNeeded: folded &>> 32) ^ UInt32(truncatingIfNeeded: folded)
    }
}
