/// Room in a cache for a value that is still being made, until the reservation ends.
///
/// It counts against the cache's limits like an entry, and keeps the cache. Made by ``ResourceCache/reserve(cost:)``.
public struct CacheReservation: ~Copyable, Sendable {
    /// What is reserved.
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
