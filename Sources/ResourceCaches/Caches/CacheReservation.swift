/// Room in a cache for a value that is being made; lasts until the reservation ends.
///
/// It counts against the cache's limits like an entry, and keeps the cache alive. Made by
/// ``ResourceCache/reserve(cost:)``.
public struct CacheReservation: ~Copyable, Sendable {
    /// The reserved cost.
    public let cost: Int
    private let giveBack: @Sendable (Int) -> Void

    init(cost: Int, giveBack: @escaping @Sendable (Int) -> Void) {
        self.cost = cost
        self.giveBack = giveBack
    }

    deinit {
        giveBack(cost)
    }
}
