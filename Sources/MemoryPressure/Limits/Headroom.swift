/// The memory left to a scope before it reaches its tightest limit.
package struct Headroom: Hashable, Sendable {
    /// The limit that binds.
    package var limit: BindingLimit
    /// The bytes charged against it that the kernel could not drop at once.
    package var used: UInt64

    package init(limit: BindingLimit, used: UInt64) {
        self.limit = limit
        self.used = used
    }

    /// The bytes that may still be used.
    package var left: UInt64 { limit.bytes > used ? limit.bytes - used : 0 }
    /// The share of the limit that is left.
    package var share: Share { Share(left, of: limit.bytes) }
}
