import MemoryPressure
import Testing

@testable import WarningPolicy

struct LedgerTests {
    @Test func remembersTheNewestRounds() {
        var ledger = Ledger()
        for id in 1...70 {
            ledger.append(
                Round(
                    id: UInt64(id),
                    level: .warning,
                    options: [],
                    reason: .simulation,
                    scope: "/",
                    deadline: .seconds(1),
                    at: .now
                )
            )
        }
        #expect(ledger.rounds.map(\.id) == Array(7...70))
    }
}
