import MemoryPressure
import Testing

@testable import memwarnd

struct PeerQuotasTests {
    static let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    static func quotas(total: Int = 8, perUser: Int? = nil) -> PeerQuotas {
        PeerQuotas(total: total, perUser: perUser, exempt: [0])
    }

    /// Lets in as many of a user's newcomers as may come, out of so many.
    static func admit(_ count: Int, of uid: UInt32, to quotas: PeerQuotas, at now: MonotonicInstant = start) -> Int {
        var admitted = 0
        for _ in 0..<count where quotas.refusal(of: uid, at: now) == nil {
            quotas.enter(uid)
            admitted += 1
        }
        return admitted
    }

    @Test("a user has half of the total unless told otherwise, and others have the rest")
    func users() {
        let quotas = Self.quotas()
        #expect(Self.admit(8, of: 1000, to: quotas) == 4)
        #expect(
            quotas.refusal(of: 1000, at: Self.start)
                == "uid 1000 has 4 connections already, as many as limits.peers-per-user lets it have"
        )
        #expect(Self.admit(3, of: 1001, to: quotas) == 3)
        #expect(Self.admit(8, of: 7, to: Self.quotas(perUser: 2)) == 2)
    }

    @Test("root is bound by the total only, which binds everybody")
    func total() {
        let quotas = Self.quotas()
        #expect(Self.admit(9, of: 0, to: quotas) == 8)
        let message = "there are 8 peers already; raise LimitNOFILE= of the daemon"
        for uid: UInt32 in [0, 1000] { #expect(quotas.refusal(of: uid, at: Self.start) == message) }
    }

    @Test("who leaves makes room")
    func leaving() {
        let quotas = Self.quotas()
        #expect(Self.admit(8, of: 1000, to: quotas) == 4)
        quotas.leave(1000, at: Self.start)
        #expect(quotas.count == 3)
        #expect(Self.admit(8, of: 1000, to: quotas) == 1)
    }

    @Test("ten thousand of one user's may come at once, but not come and go without end")
    func speed() {
        let quotas = Self.quotas(total: 100_000)
        #expect(Self.admit(10_000, of: 1000, to: quotas) == 10_000)
        for _ in 0..<10_000 { quotas.leave(1000, at: Self.start) }
        #expect(Self.admit(50_000, of: 1000, to: quotas) == 10_000)
        for _ in 0..<10_000 { quotas.leave(1000, at: Self.start) }
        #expect(quotas.refusal(of: 1000, at: Self.start) == "uid 1000 connects too often; wait a second")
        #expect(Self.admit(1, of: 1001, to: quotas) == 1)
        #expect(Self.admit(1_000, of: 1000, to: quotas, at: Self.start.advanced(by: .seconds(1))) == 100)
    }
}
