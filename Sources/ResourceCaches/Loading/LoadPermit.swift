/// The right to run a load; returned when it is destroyed.
package struct LoadPermit: ~Copyable, Sendable {
    private let limiter: LoadLimiter?
    private let number: UInt64

    /// Creates a permit that is not counted.
    init() {
        limiter = nil
        number = 0
    }

    /// Creates a permit that the limiter counts under a number.
    init(from limiter: LoadLimiter, number: UInt64) {
        self.limiter = limiter
        self.number = number
    }

    deinit {
        limiter?.giveBack(number)
    }
}
