public import CLinux
internal import MemoryPressure

/// A cache of values that can be made again, which shrinks by itself when memory is short.
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
/// **Code of the service** runs outside all locks: loaders, weighers, handlers of removals, the closures of
/// ``withValue(for:_:)`` and ``update(_:cost:priority:timeToLive:_:)``, and the `deinit` of keys and values may all use
/// the same cache. Three things run under a lock and must not use it: a key's `==` and `hash(into:)`, and a clock given
/// by ``Options/useClock(_:)``. A build for debugging stops with a message if a key's `==` does.
///
/// **What leaves.** Above the ``limit`` entries leave in the order of S3-FIFO: what was stored long ago and not read
/// since goes first, so that a scan through many values does not cost those in use their places. What was
/// ``CachePriority/prefetched`` goes before, what is ``CachePriority/onScreen`` after all others, and what is pinned
/// never.
///
/// **When memory is short.** At each memory warning that a `ControllerHost` in the process hears, the cache keeps
///
/// | level | of the cost that it holds then |
/// | --- | --- |
/// | warning | at most 50 % |
/// | critical | at most 10 % |
///
/// If a daemon asks for a number of bytes, the cache gives its part of them instead; at critical it gives whichever is
/// more. If no value costs anything, the shares are shares of the number of values. Values on screen and pinned values
/// stay. An object that leaves while the service still uses it frees nothing,
/// so it is not counted as released, and it is found again for as long as it lives: the cache keeps a weak reference to
/// it. The cache does not grow beyond what it kept until 2 s after the end, and from then on by 7.5 % of its former cost
/// a second; 1 % of the limit, and 1 MiB, may always be held. It registers for all that when it is made; the registration
/// does not keep it alive.
///
/// **When values end.** The call that removes a value destroys it before it returns; or the reader does that still uses
/// the value, when it is done. Nothing is kept back for later.
///
/// In a full cache an entry takes at most 42 bytes besides its key and value, and 32 more if it has a time.
public final class ResourceCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // `@unchecked`: the policy's lock guards what is mutable; the view is for several threads, and does not change.

    /// What the cache is called in reports.
    public let name: String
    @usableFromInline let view: CacheView.Pointer
    // Reached through `withCore(_:)`.
    @usableFromInline let core: CacheCore.Pointer
    let options: Options
    // Of the options, those that every change asks for.
    @usableFromInline let weigher: (@Sendable (_ key: Key, _ value: Value) -> Int)?
    /// Whether the handler of removals is told before a value ends, and reads find the value until then.
    ///
    /// What is not kept because it is too dear is told to it as well, and an object that is stored in its own place is not.
    @usableFromInline let tellsFirst: Bool
    /// Whether keys are objects.
    @usableFromInline let hasObjectKeys =
        Key.self is any AnyObject.Type && MemoryLayout<Key>.size == MemoryLayout<UInt>.size
    /// The times of entries that bring none of their own.
    @usableFromInline let times: CacheTimes?
    /// Loads under way, and those that have failed; the policy's lock guards them.
    var loading = LoadBook<Key, Value>() { didSet { core.pointee.isLoading = loading.isConcerned } }
    /// Objects that left while the service used them; the policy's lock guards them.
    var weakValues = WeakValues<Key>() { didSet { noteAbsentees() } }
    /// Values that the handler of removals is being told of; the policy's lock guards them.
    var leaving = LeavingValues<Key, Value>() { didSet { noteAbsentees() } }
    let reclaimer: Reclaimer
    let references: SoleReference<Value>

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - name: What the cache is called in reports.
    ///   - limit: The cost it may hold, usually in bytes; `nil` for no limit but memory pressure, and 0 if it is negative.
    ///     Values that are stored without a cost, and without an ``Options/weigher``, cost 1 each.
    ///   - options: What else it does.
    public convenience init(_ name: String, limit: Int? = nil, options: Options = Options()) {
        self.init(name, limit: limit, options: options, references: SoleReference(), tellsFirst: false)
        reclaimer.register(self)
    }

    /// An empty cache that hears of no memory warnings.
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
        core.pointee.isHeard = options.onRemoval != nil && !tellsFirst
        view = core.pointee.view
    }

    deinit {
        // No other thread has a reference, so nothing is locked; what ends here cannot reach the cache.
        var next = EntryStore.first
        while let entry = core.pointee.store.entry(from: &next) {
            guard core.pointee.isListed(entry) else { continue }
            key(of: entry).deinitialize(count: 1)
            value(of: entry).deinitialize(count: 1)
        }
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Calls back with the core, under the policy's lock, which guards it.
    ///
    /// What the closure returns is copied before the lock is freed.
    @inlinable @inline(__always)
    func withCore<Result>(_ body: (CacheCore.Pointer) -> Result) -> Result {
        if CacheView.checksComparisons { view.pointee.refuseUseInComparison() }
        let lock = view.pointee.policyLock
        lock_word_take(lock)
        let result = body(core)
        lock_word_free(lock)
        return result
    }

    /// Changes entries under the policy's lock, and ends what has left after that.
    ///
    /// - Parameter attempt: Called until it is done, each time with no departures.
    @inlinable @inline(__always)
    func change(_ attempt: (CacheCore.Pointer, inout Departures<Key, Value>) -> Attempt) {
        while true {
            var departures = Departures<Key, Value>()
            var pages = LeavingPages.Piece()
            var isHeard = false
            let attempt = withCore { core in
                let attempt = attempt(core, &departures)
                if !core.pointee.leavingPages.isEmpty { pages = core.pointee.leavingPages.take() }
                isHeard = core.pointee.isHeard
                if isHeard, tellsFirst { keepReadable(&departures) }
                return attempt
            }
            if isHeard { tell(departures) }
            // What has left ends here, with no lock held.
            withExtendedLifetime(departures) {}
            if !pages.isEmpty { pages.unmap() }
            switch attempt {
            case .done: return
            case .more: view.pointee.giveWay()
            case .busy(let hash): view.pointee.waitForBucket(of: hash)
            }
        }
    }

    /// Tells the handler of removals what has left; without any lock.
    @usableFromInline
    func tell(_ departures: Departures<Key, Value>) {
        let removals = departures.removals
        if !removals.isEmpty { options.onRemoval?(removals) }
    }
}

// Values that have left and can still be found.
extension ResourceCache {
    /// With the policy's lock: has reads find what the handler of removals is about to be told of.
    @usableFromInline
    func keepReadable(_ departures: inout Departures<Key, Value>) {
        for removal in departures.removals where find(removal.key, hash: hash(of: removal.key)) == 0 {
            if let former = leaving.add(removal.value, for: removal.key) { departures.add(other: former) }
        }
    }

    /// With the policy's lock.
    private func noteAbsentees() {
        view.pointee.setHasAbsentees(!weakValues.isEmpty || !leaving.isEmpty)
    }
}

// Where an entry's key and value lie.
extension ResourceCache {
    @inlinable static var valueOffset: Int { align(MemoryLayout<Key>.size, to: MemoryLayout<Value>.alignment) }

    @inlinable static var pairStride: Int {
        align(max(1, valueOffset + MemoryLayout<Value>.size), to: MemoryLayout<(Key, Value)>.alignment)
    }

    /// The view's, from which the compiler makes constants.
    @inlinable static var layout: EntryLayout { EntryLayout(pairStride: pairStride) }

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

    /// Goes on where the first entry with a tag has another key, or where a bucket has further lines.
    // Apart, since that happens to one read in twenty.
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
        // An object equals itself, and many compare the contents of what is the same object.
        if !Self.hasIntegerKeys, hasObjectKeys, isSameReference(key, other.pointee) { return true }
        guard CacheView.checksComparisons else { return other.pointee == key }
        let outer = view.pointee.beginComparison()
        defer { view.pointee.endComparison(outer) }
        return other.pointee == key
    }

    /// What the compiler knows where it knows the type.
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

    /// With the policy's lock: takes out the key and value of an entry that is not listed any more.
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
    /// Integers are mixed by one multiplication, a third of what `Hasher` takes for them. So are the hashes of other keys,
    /// since some types make their own, such as Foundation's objects: those of short strings have no high bits. These need
    /// no seed of the cache, which `Hasher` has, and without which keys with equal hashes collide anyway.
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
