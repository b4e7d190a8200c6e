package import MemoryPressure

/// Limits the log entries that each account causes, so that no user hides the entries about others.
package struct EntryQuotas: Sendable {
    /// The accounts beyond these share one bucket, so that the list and the entries in total are bounded.
    private static let most = 256

    private var accounts: [UInt64: Allowance] = [:]
    private var others = Allowance.entries(at: MonotonicInstant(nanoseconds: 0))
    /// The number of entries that were withheld since the last one that was written.
    private var withheld: UInt64 = 0

    package init() {}

    /// Decides about an entry that the account with this number causes.
    ///
    /// - Returns: The number of entries withheld since the last written one, of all accounts, if this one is to be
    ///   written; `nil` if it is withheld too.
    package mutating func take(_ account: UInt64, at now: MonotonicInstant) -> UInt64? {
        guard hasToken(account, at: now) else {
            withheld += 1
            return nil
        }
        defer { withheld = 0 }
        return withheld
    }

    private mutating func hasToken(_ account: UInt64, at now: MonotonicInstant) -> Bool {
        if accounts[account] == nil, accounts.count >= Self.most {
            accounts = accounts.filter { !$0.value.isFull(at: now) }
            guard accounts.count < Self.most else { return others.take(at: now) }
        }
        return accounts[account, default: .entries(at: now)].take(at: now)
    }
}
