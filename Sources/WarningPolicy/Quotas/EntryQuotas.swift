package import MemoryPressure

/// Limits the log entries that each account causes, so that no user hides the entries about others.
package struct EntryQuotas: Sendable {
    /// The accounts beyond these share one bucket, so that the list and the entries in total are bounded.
    private static let most = 256

    private struct Account: Sendable {
        var number: UInt64
        var allowance: Allowance
    }

    private var accounts: [Account] = []
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
        guard let index = index(of: account, at: now) else { return others.take(at: now) }
        return accounts[index].allowance.take(at: now)
    }

    /// The place of an account; a new one gets that of an account that has caused no entry for long, if the list is full.
    private mutating func index(of account: UInt64, at now: MonotonicInstant) -> Int? {
        if let index = accounts.firstIndex(where: { $0.number == account }) { return index }
        let new = Account(number: account, allowance: .entries(at: now))
        if accounts.count < Self.most {
            accounts.append(new)
            return accounts.count - 1
        }
        guard let idle = accounts.firstIndex(where: { $0.allowance.isFull(at: now) }) else { return nil }
        accounts[idle] = new
        return idle
    }
}
