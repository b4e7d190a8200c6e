internal import ResourceCaches

/// A weak reference to a cache's delegate; keeps neither the cache nor the delegate alive.
final class DelegateSlot<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    private struct State {
        weak var cache: Cache<Key, Object>?
        weak var delegate: (any CacheDelegate<Key, Object>)?
    }

    private let state = Guarded(State())

    var delegate: (any CacheDelegate<Key, Object>)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Sets the cache that it belongs to.
    func attach(_ cache: Cache<Key, Object>) {
        state.withLock { $0.cache = cache }
    }

    /// Tells the delegate about objects that leave, and discards the content of each.
    func tell(_ removals: [CacheRemoval<Key, Object>]) {
        let (cache, delegate) = state.withLock { ($0.cache, $0.delegate) }
        guard let cache else { return }
        for removal in removals {
            delegate?.cache(cache, willEvictObject: removal.value)
            let isGone = cache.base.didTell(of: removal)
            if isGone { cache.content(of: removal.value)?.discardContentIfPossible() }
        }
    }
}
