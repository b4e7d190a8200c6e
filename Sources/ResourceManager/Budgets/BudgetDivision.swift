extension Budget {
    /// Divides the budget among shares, each resource separately; the amounts never add up to more than the total.
    ///
    /// While the minima can be met, every share gets an amount in proportion to its weight, limited to its minimum and
    /// its maximum. Otherwise minima are met in order of priority, and shares of the priority that can only be met in
    /// part each get the same fraction of their minimum. Amounts above all maxima are not distributed. The result
    /// depends only on the shares and their order; O(n²) in the worst case, for n siblings.
    public func divided(among shares: [BudgetShare]) -> [Budget] {
        var parts = [Budget](repeating: .zero, count: shares.count)
        for resource in Resource.allCases {
            let amounts = Self.divide(max(0, self[resource]), among: shares.map { $0[resource] })
            for (index, amount) in amounts.enumerated() { parts[index][resource] = amount }
        }
        return parts
    }

    static func divide(_ total: Int, among demands: [BudgetShare.Demand]) -> [Int] {
        // Sums of amounts are exact: rounded ones could let the parts exceed the total.
        let minima = demands.reduce(Int128(0)) { $0 + Int128($1.minimum) }
        guard minima <= Int128(total) else { return divideScarce(total, among: demands) }
        var amounts = demands.map(\.minimum)
        // Settles amounts that a limit decides, lowest violation first, as CSS settles flexible lengths: each round
        // either finds no violation or settles at least one more amount.
        var open = Set(demands.indices.filter { demands[$0].weight > 0 && demands[$0].maximum > demands[$0].minimum })
        while !open.isEmpty {
            let settled = demands.indices.reduce(0) { open.contains($1) ? $0 : $0 + amounts[$1] }
            let proportional = proportions(of: total - settled, among: demands, open.sorted())
            var below: [Int: Int] = [:]
            var above: [Int: Int] = [:]
            for (index, amount) in proportional {
                if amount < demands[index].minimum { below[index] = demands[index].minimum }
                if amount > demands[index].maximum { above[index] = demands[index].maximum }
            }
            if below.isEmpty, above.isEmpty {
                for (index, amount) in proportional { amounts[index] = amount }
                break
            }
            let missing = below.reduce(Int128(0)) { $0 + Int128($1.value - (proportional[$1.key] ?? 0)) }
            let spare = above.reduce(Int128(0)) { $0 + Int128((proportional[$1.key] ?? 0) - $1.value) }
            for (index, amount) in missing >= spare ? below : above {
                amounts[index] = amount
                open.remove(index)
            }
        }
        return amounts
    }

    /// The minima, as far as the total covers them.
    private static func divideScarce(_ total: Int, among demands: [BudgetShare.Demand]) -> [Int] {
        var amounts = [Int](repeating: 0, count: demands.count)
        var rest = total
        for priority in Set(demands.map(\.priority)).sorted(by: >) {
            let members = demands.indices.filter { demands[$0].priority == priority }
            let wanted = members.reduce(Int128(0)) { $0 + Int128(demands[$1].minimum) }
            guard wanted > Int128(rest) else {
                for index in members { amounts[index] = demands[index].minimum }
                rest -= members.reduce(0) { $0 + demands[$1].minimum }
                continue
            }
            let weighted = demands.map { BudgetShare.Demand(weight: Double($0.minimum)) }
            for (index, amount) in proportions(of: rest, among: weighted, members) { amounts[index] = amount }
            break
        }
        return amounts
    }

    /// Whole amounts in proportion to the weights, which add up to the total: each of the units that rounding leaves
    /// goes to one of the shares that lost most by it.
    private static func proportions(
        of total: Int,
        among demands: [BudgetShare.Demand],
        _ members: [Int]
    ) -> [Int: Int] {
        // The sum of weights near the largest Double is infinite, and would give each share nothing.
        let isLarge = !members.reduce(0.0) { $0 + demands[$1].weight }.isFinite
        let scale = isLarge ? 1 / Double(1 << 32) : 1
        let weights = members.reduce(0.0) { $0 + demands[$1].weight * scale }
        guard weights > 0, total > 0 else { return Dictionary(uniqueKeysWithValues: members.map { ($0, 0) }) }
        var amounts: [Int: Int] = [:]
        var losses: [(index: Int, loss: Double)] = []
        var rest = total
        for index in members {
            let exact = Double(total) * (demands[index].weight * scale / weights)
            // Doubles are coarser than integers from 2^53 on, so the result is limited to what is left.
            let amount = min(rest, Int(exactly: exact.rounded(.down)) ?? rest)
            amounts[index] = amount
            rest -= amount
            losses.append((index, exact - Double(amount)))
        }
        losses.sort { $0.loss == $1.loss ? $0.index < $1.index : $0.loss > $1.loss }
        for (index, _) in losses where rest > 0 {
            amounts[index, default: 0] += 1
            rest -= 1
        }
        return amounts
    }
}
