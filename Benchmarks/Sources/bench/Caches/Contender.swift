/// The cached values: objects, as in most services.
final class Payload: Sendable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }
}

/// A type that can be used as a cache.
protocol Contender<Key>: Sendable {
    associatedtype Key
    /// Whether it respects its limit by itself.
    static var evicts: Bool { get }

    /// Makes an empty cache for that number of entries.
    init(limit: Int)
    func value(for key: Key) -> Payload?
    func insert(_ value: Payload, for key: Key)
    func removeAll()
}

extension Contender {
    static var evicts: Bool { true }
}
