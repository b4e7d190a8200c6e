/// The right to load something, given back when it ends.
package struct LoadPermit: ~Copyable, Sendable {
    /// `nil` if loads were not limited when it was given.
    private let limiter: LoadLimiter?

    init(from limiter: LoadLimiter?) {
        self.limiter = limiter
    }

    deinit {
        limiter?.giveBack()
    }
}
