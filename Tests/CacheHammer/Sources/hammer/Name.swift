import Canaries
import ResourceCaches

/// A key that is an object with its own comparison, and that uses the cache in its deinit.
final class Name: Hashable, Sendable {
    let number: Int

    // `nonisolated(unsafe)`: set before the threads that read it start, and after they have ended.
    nonisolated(unsafe) static weak var cache: ResourceCache<Name, Canary>?
    private static let known = Name(0)

    init(_ number: Int) {
        self.number = number
    }

    deinit {
        guard let cache = Self.cache else { return }
        if let value = cache.value(for: Self.known) { value.check(0) }
        if number % 64 == 1 { cache.remove(Self.known) }
    }

    static func == (left: Name, right: Name) -> Bool {
        left === right || left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}
