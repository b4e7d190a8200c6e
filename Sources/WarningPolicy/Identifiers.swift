/// The number of a registered host; it is never used again.
package typealias HostID = UInt64

/// The number of a scope, at least ``wholeHost``.
package typealias ScopeID = UInt64

/// The program's number for a connection, valid while the connection lasts.
package typealias ConnectionID = Int32

extension ScopeID {
    /// The scope `/`, which always exists.
    package static let wholeHost: Self = 1
}
