/// Finds the smallest scenario that still breaks the same rule: drops faults, episodes and hosts as long as that holds.
package struct Minimiser {
    private let rule: Invariants.Rule
    private let defect: Simulation.Defect?
    /// The maximum number of runs.
    private var budget: Int
    private var smallest: Scenario

    /// The reduced scenario, and the rule that it breaks; `nil` if it breaks none.
    package static func minimise(
        _ scenario: Scenario,
        runs: Int = 400,
        defect: Simulation.Defect? = nil
    ) -> (Scenario, Simulation.Outcome)? {
        guard let first = Simulation.run(scenario, defect: defect).violations.first else { return nil }
        var minimiser = Self(rule: first.rule, defect: defect, budget: runs, smallest: scenario)
        minimiser.shrink()
        return (minimiser.smallest, Simulation.run(minimiser.smallest, isTraced: true, defect: defect))
    }

    private mutating func shrink() {
        var size = -1
        while size != smallest.size, budget > 0 {
            size = smallest.size
            shrink({ $0.faultsKept }, { $0.keeping(faults: $1) })
            shrink({ $0.episodesKept }, { $0.keeping(episodes: $1) })
            shrink({ $0.hostsKept }, { $0.keeping(hosts: $1) })
        }
    }

    /// Drops halves, then quarters, and so on down to single elements.
    private mutating func shrink(_ list: (Scenario) -> [Int], _ keep: (Scenario, [Int]) -> Scenario) {
        var part = max(1, list(smallest).count / 2)
        while part > 0, budget > 0 {
            var start = 0
            while start < list(smallest).count, budget > 0 {
                var kept = list(smallest)
                kept.removeSubrange(start..<min(start + part, kept.count))
                if breaks(keep(smallest, kept)) {
                    smallest = keep(smallest, kept)
                } else {
                    start += part
                }
            }
            part /= 2
        }
    }

    private mutating func breaks(_ scenario: Scenario) -> Bool {
        budget -= 1
        return Simulation.run(scenario, defect: defect).violations.contains { $0.rule == rule }
    }
}

extension Scenario {
    var size: Int { hostsKept.count + episodesKept.count + faultsKept.count }

    /// A test that runs the scenario, for a file of `Tests/SimulatorTests`.
    package func test(_ outcome: Simulation.Outcome) -> String {
        let words = outcome.violations.first.map { "\($0.rule): \($0.text)" } ?? ""
        return """
            // \(words)
            @Test func `seed \(seed) breaks no rule`() {
                let scenario = Scenario(seed: \(seed)).keeping(
                    hosts: \(hostsKept),
                    episodes: \(episodesKept),
                    faults: \(faultsKept)
                )
                #expect(Simulation.run(scenario).violations.isEmpty)
            }
            """
    }
}
