import MemoryPressure
import Testing

@testable import WarningPolicy

struct EntryQuotasTests {
    static let start = AllowanceTests.start

    @Test("an account may write twenty entries at once, then one in five seconds, whatever other accounts do")
    func accounts() {
        var quotas = EntryQuotas()
        let written = (0..<130).count { _ in quotas.take(1, at: Self.start) != nil }
        #expect(written == 20)
        #expect(quotas.take(2, at: Self.start) == 110)
        #expect(quotas.take(2, at: Self.start) == 0)
        #expect(quotas.take(1, at: Self.start.advanced(by: .seconds(4))) == nil)
        #expect(quotas.take(1, at: Self.start.advanced(by: .seconds(5))) == 1)
    }

    @Test("accounts beyond 256 share a bucket until others have been idle")
    func many() {
        var quotas = EntryQuotas()
        for account in 0..<256 as Range<UInt64> { #expect(quotas.take(account, at: Self.start) == 0) }
        let written = (256..<1_000 as Range<UInt64>).count { quotas.take($0, at: Self.start) != nil }
        #expect(written == 20)
        #expect(quotas.take(7, at: Self.start) == 724)
        let later = Self.start.advanced(by: .seconds(100))
        for _ in 0..<20 { #expect(quotas.take(1_000, at: later) == 0) }
        #expect(quotas.take(1_000, at: later) == nil)
        #expect(quotas.take(1_001, at: later) == 1)
    }
}
