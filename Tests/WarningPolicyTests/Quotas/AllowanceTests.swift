import MemoryPressure
import Testing

@testable import WarningPolicy

struct AllowanceTests {
    static let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    /// How many of `tries` attempts at one instant are allowed.
    static func allowed(_ tries: Int, of allowance: inout Allowance, at instant: MonotonicInstant) -> Int {
        var count = 0
        for _ in 0..<tries where allowance.take(at: instant) { count += 1 }
        return count
    }

    @Test(
        "a flood is served as far as the bucket reaches, and then at its rate",
        arguments: [
            (Allowance.frames, 1_000, 1_000), (.accountFrames, 20_000, 1_000), (.queries, 2_000, 200),
            (.commands, 20_000, 1_000), (.connections, 20_000, 100), (.simulations, 20, 5), (.storeMessages, 20, 10),
        ]
    )
    func flood(allowance: Allowance, atOnce: Int, perSecond: Int) {
        var allowance = allowance
        #expect(Self.allowed(30_000, of: &allowance, at: Self.start) == atOnce)
        #expect(Self.allowed(30_000, of: &allowance, at: Self.start.advanced(by: .seconds(1))) == perSecond)
    }

    @Test("a part of a token does not suffice, and is kept")
    func part() {
        var allowance = Allowance.frames
        #expect(Self.allowed(1_500, of: &allowance, at: Self.start) == 1_000)
        #expect(Self.allowed(1, of: &allowance, at: Self.start.advanced(by: .microseconds(500))) == 0)
        #expect(Self.allowed(2, of: &allowance, at: Self.start.advanced(by: .microseconds(1_000))) == 1)
    }

    @Test("ten complaints are written at once, and then one in five seconds")
    func complaints() {
        var allowance = Allowance.complaints
        #expect(Self.allowed(12, of: &allowance, at: Self.start) == 10)
        #expect(Self.allowed(1, of: &allowance, at: Self.start.advanced(by: .seconds(4))) == 0)
        #expect(Self.allowed(2, of: &allowance, at: Self.start.advanced(by: .seconds(5))) == 1)
    }

    @Test("time fills the bucket up to its size")
    func capacity() {
        var allowance = Allowance.complaints
        #expect(Self.allowed(12, of: &allowance, at: Self.start.advanced(by: .seconds(86_400))) == 10)
    }

    @Test("an event may borrow the tokens that it lacks; the next one waits until they are paid back")
    func borrowed() {
        var allowance = Allowance.queries
        let second = Self.start.advanced(by: .seconds(1))
        #expect([2_500, 1].map { allowance.take($0, at: Self.start) } == [true, false])
        let later = [1_500, 1_505, 1_510].map { second.advanced(by: .milliseconds($0)) }
        #expect(later.map { Self.allowed(9, of: &allowance, at: $0) } == [0, 1, 1])
        #expect(Self.allowed(3_000, of: &allowance, at: second.advanced(by: .seconds(60))) == 2_000)
    }

    @Test func aClockThatStepsBackTakesNothingAway() {
        var allowance = Allowance.complaints
        #expect(Self.allowed(1, of: &allowance, at: Self.start.advanced(by: .seconds(-1))) == 1)
    }
}
