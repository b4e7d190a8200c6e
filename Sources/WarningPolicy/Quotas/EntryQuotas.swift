package import MemoryPressure

/// Limits the log entries that each account causes, so that no user hides the entries about others.
package struct EntryQuotas: Sendable {
    private var accounts = AccountQuotas(.entries)
    /// The number of entries that were withheld since the last one that was written.
    private var withheld: UInt64 = 0

    package init() {}

    /// Decides about an entry that the account with this number causes.
    ///
    /// - Returns: The number of entries withheld since the last written one, of all accounts, if this one is to be
    ///   written; `nil` if it is withheld too.
    package mutating func take(_ account: UInt64, at now: MonotonicInstant) -> UInt64? {
        guard accounts.take(account, at: now) else {
            withheld += 1
            return nil
        }
        defer { withheld = 0 }
        return withheld
    }
}
