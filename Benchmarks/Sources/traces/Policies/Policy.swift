/// A cache without values, which only reports which requests are hits.
protocol Policy {
    /// Requests an item and returns whether it was in the cache. The policy may then admit it.
    mutating func access(_ id: UInt32) -> Bool
}

/// A policy whose cache may shrink and grow while it is in use.
protocol ResizablePolicy: Policy {
    /// Sets the cache's size. Items above the new size leave immediately, as the policy chooses.
    mutating func resize(to size: Int)
}
