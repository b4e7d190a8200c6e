/// A cache that only says which requests it would have answered.
protocol Policy {
    /// Asks for a thing, which is in the cache afterwards if the policy wants it there, and tells whether it was.
    mutating func access(_ id: UInt32) -> Bool
}
