import Testing

@testable import MemoryPressure

struct HeadroomPaceTests {
    private var pace = HeadroomPace()
    private let limit = BindingLimit(.max, bytes: 10_000, path: "/a")

    private mutating func note(_ left: UInt64, at seconds: Double, limit: BindingLimit? = nil) -> Double {
        let limit = limit ?? self.limit
        let at = MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
        pace.note(Headroom(limit: limit, used: limit.bytes - left), at: at)
        return pace.perSecond
    }

    @Test("two readings are needed for a pace")
    mutating func twoLooks() {
        #expect(note(5_000, at: 1) == 0)
        #expect(note(4_000, at: 3) == 500)
    }

    @Test("headroom that grows or does not change has no pace")
    mutating func growing() {
        _ = note(5_000, at: 1)
        #expect(note(6_000, at: 2) == 0)
        #expect(note(6_000, at: 3) == 0)
    }

    @Test("the fastest pace is remembered, halves every half minute, and is forgotten in the end")
    mutating func memory() {
        _ = note(5_000, at: 0)
        #expect(note(1_000, at: 1) == 4_000)
        #expect(note(8_000, at: 31) == 2_000)
        #expect(note(7_000, at: 32) > 1_900, "a slower one does not replace it")
        #expect(note(2_000, at: 33) == 5_000, "a faster one does")
        #expect(note(2_000, at: 333) > 1)
        #expect(note(2_000, at: 373) > 1)
        #expect(note(2_000, at: 433) == 0)
    }

    @Test("readings in quick succession count as one")
    mutating func quickSuccession() {
        _ = note(5_000, at: 1)
        #expect(note(4_900, at: 1.001) == 0)
        #expect(note(4_900, at: 1.0995) == 0)
        #expect(note(4_800, at: 1.1).rounded() == 2_000)
    }

    @Test("a changed limit has no pace, and does not erase the remembered one")
    mutating func movedLimit() {
        _ = note(9_000, at: 0)
        #expect(note(500, at: 1, limit: BindingLimit(.max, bytes: 1_500, path: "/a")) == 0)
        #expect(note(300, at: 2, limit: BindingLimit(.max, bytes: 1_500, path: "/a")).rounded() == 1_333)
        #expect(note(9_000, at: 3).rounded() == 1_333)
    }

    @Test("the mean pace follows the last second, in both directions")
    mutating func mean() {
        _ = note(5_000, at: 0)
        _ = note(4_000, at: 0.5)
        #expect(pace.mean == 1_000, "half of it is from before")
        _ = note(3_000, at: 1)
        #expect(pace.mean == 1_500)
        _ = note(1_000, at: 3)
        #expect(pace.mean == 1_000, "an older reading no longer counts")
        _ = note(2_000, at: 4)
        #expect(pace.mean == -1_000)
        _ = note(1_000, at: 5, limit: BindingLimit(.max, bytes: 20_000, path: "/a"))
        #expect(pace.mean == 0, "it is no share of another limit")
    }
}
