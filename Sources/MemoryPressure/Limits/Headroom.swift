/// What is left to a scope until its tightest limit.
package struct Headroom: Hashable, Sendable {
    /// The limit that binds.
    package var limit: BindingLimit
    /// What is charged against it and could not be dropped at once, in bytes.
    package var used: UInt64

    package init(limit: BindingLimit, used: UInt64) {
        self.limit = limit
        self.used = used
    }

    /// What may still be used, in bytes.
    package var left: UInt64 { limit.bytes > used ? limit.bytes - used : 0 }
    /// What part of the limit is left.
    package var share: Share { Share(left, of: limit.bytes) }
}
