/// The right to load something, given back when it ends.
package struct LoadPermit: ~Copyable, Sendable {
    private let limiter: LoadLimiter?
    private let number: UInt64

    /// A permit that nothing counts.
    init() {
        limiter = nil
        number = 0
    }

    /// A permit that the limiter counts under a number.
    init(from limiter: LoadLimiter, number: UInt64) {
        self.limiter = limiter
        self.number = number
    }

    deinit {
        limiter?.giveBack(number)
    }
}
