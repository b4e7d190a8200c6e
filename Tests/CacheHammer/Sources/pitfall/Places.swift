import CLinux
import Canaries
import ResourceCaches

/// A value behind a lock. No code runs between the copy of the value and the store that frees the lock.
// `@unchecked`: the lock guards the value.
final class Locked: Place, @unchecked Sendable {
    // In separate memory, as in a cache, so that Swift does not check exclusive access to it.
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Canary>.allocate(capacity: 1)

    init() {
        word.initialize(to: 0)
        value.initialize(to: Canary(key: 1, number: 0))
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        word.deallocate()
    }

    @inline(never)
    func read() -> Canary? {
        lock_word_take(word)
        let copy = value.pointee
        lock_word_free(word)
        return copy
    }

    func replace(by value: consuming Canary) {
        lock_word_take(word)
        let old = self.value.move()
        self.value.initialize(to: value)
        lock_word_free(word)
        withExtendedLifetime(old) {}
    }
}

/// The value of a cache's only key, read as a hit.
final class Cached: Place {
    private let cache = ResourceCache<Int, Canary>("pitfall")

    @inline(never)
    func read() -> Canary? { cache.value(for: 1) }

    func replace(by value: consuming Canary) {
        cache.insert(value, for: 1)
    }
}

/// The value of a cache's only key, read by `peek`.
final class Looked: Place {
    private let cache = ResourceCache<Int, Canary>("pitfall")

    @inline(never)
    func read() -> Canary? { cache.peek(1) }

    func replace(by value: consuming Canary) {
        cache.insert(value, for: 1)
    }
}

/// A value that holds its object among other words.
final class CachedBlock: Place {
    private let cache = ResourceCache<Int, Block>("pitfall")

    @inline(never)
    func read() -> Block? { cache.value(for: 1) }

    func replace(by value: consuming Block) {
        cache.insert(value, for: 1)
    }
}
