/// What is cached: an object, as in most services.
final class Payload: Sendable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }
}

/// Something that can be used as a cache.
protocol Contender<Key>: Sendable {
    associatedtype Key
    /// Whether it keeps to its limit by itself.
    static var evicts: Bool { get }

    /// An empty one for so many entries.
    init(limit: Int)
    func value(for key: Key) -> Payload?
    func insert(_ value: Payload, for key: Key)
    func removeAll()
}

extension Contender {
    static var evicts: Bool { true }
}
