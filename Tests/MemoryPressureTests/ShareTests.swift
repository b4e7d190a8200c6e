import MemoryPressure
import Testing

struct ShareTests {
    @Test(
        arguments: [
            (Share.zero, "0%"), (.percent(10), "10%"), (.percent(7.5), "7.5%"), (.percent(0.05), "0.05%"),
            (.percent(12.34), "12.34%"), (.percent(100), "100%"),
        ] as [(Share, String)]
    )
    func isWrittenInPercent(share: Share, text: String) {
        #expect(share.description == text)
    }

    @Test func isAtMostTheWhole() {
        #expect(Share(300, of: 200) == .percent(100))
        #expect(Share(.max, of: .max) == .percent(100))
        #expect(Share(1, of: 0) == .zero)
        #expect(Share(200_000, of: 2_000_000) == .percent(10))
    }

    @Test("a share is rounded to the nearest hundredth of a percent, not rounded down")
    func isRounded() {
        #expect(Share(2, of: 3) == Share(basisPoints: 6_667))
        #expect(Share(1, of: 3) == Share(basisPoints: 3_333))
    }
}
