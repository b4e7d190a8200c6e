import ResourceManager
import TestSupport
import Testing

@Suite(.onTwoThreads)
struct BudgetDivisionTests {
    private typealias Demand = BudgetShare.Demand

    private static func divide(_ total: Int, _ demands: [Demand]) -> [Int] {
        Budget(bytes: total).divided(among: demands.map { BudgetShare(bytes: $0) }).map(\.bytes)
    }

    @Test("equal shares differ by rounding only, and nothing is lost by rounding")
    func equalShares() {
        #expect(Self.divide(9, [Demand(), Demand(), Demand()]) == [3, 3, 3])
        #expect(Self.divide(10, [Demand(), Demand(), Demand()]) == [4, 3, 3])
        #expect(Self.divide(0, [Demand(), Demand()]) == [0, 0])
        #expect(Self.divide(-5, [Demand()]) == [0])
        #expect(Budget(bytes: 7).divided(among: []).isEmpty)
    }

    @Test("amounts are in proportion to the weights, between minimum and maximum")
    func weights() {
        #expect(Self.divide(100, [Demand(weight: 3), Demand(weight: 1)]) == [75, 25])
        let large = Double.greatestFiniteMagnitude
        #expect(Self.divide(100, [large, large, large / 2].map { Demand(weight: $0) }) == [40, 40, 20])
        #expect(Self.divide(100, [Demand(weight: 3), Demand(minimum: 40, weight: 1)]) == [60, 40])
        #expect(Self.divide(100, [Demand(maximum: 30, weight: 3), Demand(weight: 1)]) == [30, 70])
        #expect(Self.divide(100, [.fixed(10), Demand(), Demand(weight: 2)]) == [10, 30, 60])
        #expect(Self.divide(100, [Demand(minimum: 5, weight: 0), Demand()]) == [5, 95])
    }

    @Test("one limit may make another one apply")
    func limitsInTurn() {
        // 100 each by weight. The first takes 250, and the second cannot take its half of the remaining 50.
        #expect(Self.divide(300, [Demand(minimum: 250), Demand(maximum: 20), Demand()]) == [250, 20, 30])
    }

    @Test("an amount above all maxima is not distributed")
    func spare() {
        #expect(Self.divide(100, [Demand(maximum: 10), Demand(maximum: 20)]) == [10, 20])
    }

    @Test("if minima cannot be met, those of the highest priority are met first, then parts of the next")
    func scarcity() {
        let demands = [
            Demand(minimum: 50), Demand(minimum: 60, priority: 1), Demand(minimum: 30),
            Demand(minimum: 5, priority: -1),
        ]
        #expect(Self.divide(100, demands) == [25, 60, 15, 0])
        #expect(Self.divide(40, demands) == [0, 40, 0, 0])
    }

    @Test("each resource is divided separately")
    func resources() {
        let shares = [
            BudgetShare(bytes: .init(weight: 1), slots: .fixed(2), threads: .init(weight: 0)),
            BudgetShare(bytes: .init(weight: 3)),
        ]
        #expect(
            Budget(bytes: 400, slots: 8, threads: 4).divided(among: shares) == [
                Budget(bytes: 100, slots: 2, threads: 0), Budget(bytes: 300, slots: 6, threads: 4),
            ]
        )
    }

    @Test("for any demands, limits hold and the parts never exceed the whole", arguments: 0..<8 as Range<UInt64>)
    func invariants(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let total = Int.random(in: 0...(Bool.random(using: &generator) ? 1000 : 1 << 40), using: &generator)
            let demands = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                let minimum = Int.random(in: 0...max(1, total / 3), using: &generator)
                return Demand(
                    minimum: Bool.random(using: &generator) ? minimum : 0,
                    maximum: Bool.random(using: &generator) ? minimum * 2 : .max,
                    weight: Double(Int.random(in: 0...4, using: &generator)),
                    priority: Int.random(in: 0...2, using: &generator)
                )
            }
            let amounts = Self.divide(total, demands)
            let sum = amounts.reduce(0, +)
            #expect(sum <= total)
            #expect(zip(amounts, demands).allSatisfy { $0 >= 0 && $0 <= $1.maximum })
            guard demands.reduce(0, { $0 + $1.minimum }) <= total else {
                #expect(sum == total)
                continue
            }
            #expect(zip(amounts, demands).allSatisfy { $0 >= $1.minimum })
            // A demand that could take more exists only if nothing is left.
            let isOpen = zip(amounts, demands).contains { $0 < $1.maximum && $1.weight > 0 }
            #expect(!isOpen || sum == total, "\(demands) of \(total): \(amounts)")
        }
    }

    @Test("amounts near the largest number add up to no more than the total")
    func largeAmounts() {
        let large = (1 << 62) + 100
        for priority in [0, 1] {
            let parts = Self.divide(.max, [.fixed(large), .fixed(large, priority: priority), Demand()])
            let sum = parts.reduce((Int128(0))) { $0 + Int128($1) }
            #expect(sum <= Int128(Int.max), "\(parts)")
        }
        #expect(Self.divide(.max, [.fixed(large), .fixed(Int.max - large), Demand()]) == [large, Int.max - large, 0])
        #expect(Self.divide(Int.max - 1, [.fixed(.max, priority: 1), .fixed(1)]) == [Int.max - 1, 0])
    }

    @Test("a budget below 0 is reduced to 0")
    func negative() {
        #expect(Budget(bytes: .min).reduced(by: Budget(bytes: 1)) == .zero)
        #expect(Budget(bytes: 3).reduced(by: Budget(bytes: .min)) == Budget(bytes: 3))
    }

    @Test("a share is written and read in the form of archives")
    func archived() {
        let share = BudgetShare(bytes: .init(minimum: 1, maximum: 9, weight: 2.5, priority: 3), slots: .fixed(4))
        #expect(BudgetShare(propertyValue: share.propertyValue) == share)
        #expect(BudgetShare(propertyValue: .object(Properties())) == BudgetShare())
        #expect(BudgetShare(propertyValue: .integer(1)) == nil)
    }
}
