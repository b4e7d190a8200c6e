/// A cache that only says which requests it would have answered.
protocol Policy {
    /// Asks for a thing, which is in the cache afterwards if the policy wants it there, and tells whether it was.
    mutating func access(_ id: UInt32) -> Bool
}

/// A policy whose cache may become smaller and larger while it is in use.
protocol ResizablePolicy: Policy {
    /// Has the cache hold so many from now on; what is too much leaves at once, as the policy would have it.
    mutating func resize(to size: Int)
}
