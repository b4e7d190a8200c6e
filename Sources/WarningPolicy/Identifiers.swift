/// The number of a registered host; it is never used again.
package typealias HostID = UInt64

/// The number of a scope, at least ``wholeHost``.
package typealias ScopeID = UInt64

/// The number by which the program knows a connection while it lasts.
package typealias ConnectionID = Int32

extension ScopeID {
    /// The scope `/`, which is always there.
    package static let wholeHost: Self = 1
}
