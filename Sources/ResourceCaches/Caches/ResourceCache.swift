/// A cache of values that can be made again, which shrinks by itself when memory is short.
///
/// ```swift
/// var options = ResourceCache<String, [UInt8]>.Options()
/// options.weigher = { path, page in path.utf8.count + page.count }
/// let pages = ResourceCache<String, [UInt8]>("pages", limit: 256 << 20, options: options)
/// let page = try await pages.load("index") { path in try await render(path) }
/// ```
///
/// It may be used from any thread and any isolation, and needs no host. **Reading** takes no lock and waits for nobody.
/// **Changing** is atomic for one key, takes constant time under one lock, and never runs code of the service under
/// it, but a key's `==` and `hash(into:)`, which must not use the cache, and a clock given by ``Options/useClock(_:)``.
///
/// **Who leaves.** Above the ``limit`` entries leave in the order of S3-FIFO: what was stored long ago and not read
/// since goes first, so that a scan through many values does not cost those in use their places. What was
/// ``CachePriority/prefetched`` goes before, what is ``CachePriority/onScreen`` after all others, and what is pinned
/// never.
///
/// **Want of memory.** At each memory warning that a ``ControllerHost`` in the process hears, the cache keeps
///
/// | level | of the cost that it holds then |
/// | --- | --- |
/// | warning | at most 50 % |
/// | critical | at most 10 % |
///
/// or as much as a daemon's request for bytes leaves, and that part of the values if none of them costs anything.
/// Nothing on screen and nothing pinned goes for it, and no object that somebody else holds, as that would free
/// nothing. The cache does not grow beyond that until 2 s after the end, and from then on by 7.5 % of its former cost
/// a second. It registers for all that when it is made; the registration does not keep it alive.
///
/// **When values end.** A value that has left ends outside the lock: before the call returns if somebody asked for its
/// removal, else together with up to 31 others or 64 KiB. If another thread is reading at that moment, it ends with
/// one of the next changes.
///
/// In a full cache an entry takes at most 40 bytes besides its key and value, and 32 more if it has a time.
public final class ResourceCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // `@unchecked`: what is mutable is guarded by the core's lock; the view is for several threads, and does not change.

    /// What the cache is called in reports.
    public let name: String
    @usableFromInline let view: CacheView.Pointer
    @usableFromInline let core: CacheCore.Pointer
    let options: Options
    // Of the options, those that every change asks for.
    @usableFromInline let weigher: (@Sendable (_ key: Key, _ value: Value) -> Int)?
    /// Whether anybody wants to hear of what leaves.
    @usableFromInline let isHeard: Bool
    /// The times of entries that bring none of their own.
    @usableFromInline let times: CacheTimes?
    /// What has left and is to be told when the lock is left; empty if nobody listens.
    private var departed: [CacheRemoval<Key, Value>] = []
    /// Loads under way, and those that have failed.
    var loading = LoadBook<Key, Value>() { didSet { core.pointee.isLoading = loading.isConcerned } }
    let reclaimer: Reclaimer

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - name: What the cache is called in reports.
    ///   - limit: The cost it may hold, usually in bytes; `nil` for no limit but memory pressure. Values that are
    ///     stored without a cost, and without an ``Options/weigher``, cost 1 each.
    ///   - options: What else it does.
    public convenience init(_ name: String, limit: Int? = nil, options: Options = Options()) {
        self.init(name, limit: limit, options: options, reclaimer: .shared)
    }

    init(_ name: String, limit: Int? = nil, options: Options = Options(), reclaimer: Reclaimer) {
        self.name = name
        self.options = options
        self.reclaimer = reclaimer
        weigher = options.weigher
        isHeard = options.onRemoval != nil
        times = options.times(toLive: nil)
        core = .allocate(capacity: 1)
        core.initialize(
            to: CacheCore(
                stride: Self.stride,
                limits: CacheLimits(hard: limit, soft: options.softLimit),
                clock: options.clock
            )
        )
        view = core.pointee.view
        reclaimer.register(self)
    }

    deinit {
        // Nobody reads any more: who reads keeps the cache.
        core.pointee.table.visit { destroy($0) }
        let left = core.pointee.limbo.takeAll()
        for entry in left.entries { destroy(entry) }
        for block in left.blocks { block.deallocate() }
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Notes what is to be told when the lock is left.
    @usableFromInline
    func noteDeparture(of entry: UInt32, because reason: RemovalReason) {
        departed.append(
            CacheRemoval(
                key: key(of: entry).pointee,
                value: value(of: entry).pointee,
                reason: reason,
                cost: view.pointee.bytes(of: entry)
            )
        )
    }

    /// Leaves the lock and tells what has been noted.
    @usableFromInline
    func unlockAndTell() {
        let removals = departed
        departed = []
        view.pointee.unlock()
        if !removals.isEmpty { options.onRemoval?(removals) }
    }
}
