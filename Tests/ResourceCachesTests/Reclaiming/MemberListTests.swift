import Testing

@testable import ResourceCaches

struct MemberListTests {
    private final class Responder: ReclaimResponder {
        let number: Int
        init(_ number: Int) { self.number = number }
        var releasableCost: Int { number }
        func excess(at level: PressureLevel) -> Int { 0 }
        func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {}
        func pressureDidEnd() {}
    }

    private func numbers(_ list: MemberList) -> [Int] { list.compactMap { $0(nil)?.releasableCost } }

    private func members(_ numbers: Range<Int>) -> [Reclaimer.Member] {
        numbers.map { number in
            let responder = Responder(number)
            return { _ in responder }
        }
    }

    @Test(
        "a sweep replaces the members of its copy, and those that came later stay behind them, in order",
        arguments: [(1, 0), (511, 1), (512, 0), (512, 1), (513, 600), (2000, 3), (2000, 2000)]
    )
    func replacing(first: Int, later: Int) {
        for keeps in [0, 1, 2] {
            var list = MemberList(members(0..<first))
            let copy = list
            for member in members(first..<first + later) { list.append(member) }
            let rest = MemberList(copy.lazy.filter { ($0(nil)?.releasableCost ?? 0) % 2 < keeps })
            list.replace(copy, with: rest)
            let expected = (0..<first).filter { $0 % 2 < keeps } + Array(first..<first + later)
            #expect(numbers(list) == expected)
            #expect(list.count == expected.count)
            for member in members(9_000..<9_002) { list.append(member) }
            #expect(numbers(list) == expected + [9_000, 9_001])
        }
    }
}
