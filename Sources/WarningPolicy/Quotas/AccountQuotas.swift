package import MemoryPressure

/// An ``Allowance`` for each account.
package struct AccountQuotas: Sendable {
    /// The accounts beyond these share one bucket, so that the list and what all accounts may do together are bounded.
    private static let most = 256

    private struct Account: Sendable {
        var number: UInt64
        var allowance: Allowance
    }

    private let full: Allowance
    private var accounts: [Account] = []
    private var others: Allowance

    /// Gives each account this full bucket.
    package init(_ full: Allowance) {
        self.full = full
        others = full
    }

    /// Takes tokens of the account with this number; returns `false` if it has none.
    package mutating func take(_ account: UInt64, _ count: Int = 1, at now: MonotonicInstant) -> Bool {
        guard let index = index(of: account, at: now) else { return others.take(count, at: now) }
        return accounts[index].allowance.take(count, at: now)
    }

    /// The place of an account; a new one gets that of an account whose bucket is full, if the list is.
    private mutating func index(of account: UInt64, at now: MonotonicInstant) -> Int? {
        if let index = accounts.firstIndex(where: { $0.number == account }) { return index }
        let new = Account(number: account, allowance: full)
        if accounts.count < Self.most {
            accounts.append(new)
            return accounts.count - 1
        }
        guard let idle = accounts.firstIndex(where: { $0.allowance.isFull(at: now) }) else { return nil }
        accounts[idle] = new
        return idle
    }
}
