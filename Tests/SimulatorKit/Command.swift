internal import CLinux

/// What the program does: runs seeds, and says what came of them.
package struct Command {
    private enum Task {
        case run
        case trace
        case reach
        case minimise
    }

    private var task = Task.run
    private var seeds: [UInt64] = []
    private var saysHashes = false

    /// Reads `COUNT BASE`, `seed SEED`, `trace SEED`, `reach SEED` or `minimise SEED`; after `hashes` there is a line with the hash of each
    /// seed's trace as well.
    package init(_ arguments: [String]) {
        var words = arguments[...]
        if words.first == "hashes" {
            saysHashes = true
            words = words.dropFirst()
        }
        let numbers = words.compactMap { UInt64($0) }
        switch words.first {
        case "seed"?: seeds = numbers
        case "trace"?: (task, seeds) = (.trace, numbers)
        case "reach"?: (task, seeds) = (.reach, numbers)
        case "minimise"?: (task, seeds) = (.minimise, numbers)
        default:
            let base = numbers.dropFirst().first ?? 1
            seeds = (0..<(numbers.first ?? 20)).map { base + $0 }
        }
    }

    /// Does it.
    ///
    /// - Returns: Whether no rule was broken.
    package func run() -> Bool {
        if task == .minimise {
            for seed in seeds { minimise(seed) }
            return true
        }
        var sum = Sum()
        for seed in seeds {
            let outcome = Simulation.run(Scenario(seed: seed), isTraced: task == .trace)
            for line in outcome.lines { print(line) }
            if saysHashes { print("hash \(seed) \(outcome.hash)") }
            if task == .reach {
                let branches = Branch.allCases.filter { outcome.branches & 1 << UInt64($0.rawValue) != 0 }
                print("seed \(seed) reaches " + branches.map { "\($0)" }.joined(separator: ", "))
            }
            for violation in outcome.violations { print("seed \(seed), \(violation)") }
            sum.add(outcome)
        }
        print(sum.text)
        return sum.failed == 0
    }

    private func minimise(_ seed: UInt64) {
        guard let (scenario, outcome) = Minimiser.minimise(Scenario(seed: seed)) else {
            return print("seed \(seed) breaks no rule")
        }
        print("seed \(seed) still fails with this; its whole trace: simulator trace \(seed)")
        print(scenario.test(outcome))
    }
}

/// What many runs came to.
private struct Sum {
    private var outcomes: [Simulation.Outcome] = []
    var failed: Int { outcomes.reduce(0) { $0 + ($1.violations.isEmpty ? 0 : 1) } }

    mutating func add(_ outcome: Simulation.Outcome) {
        var outcome = outcome
        outcome.lines = []
        outcomes.append(outcome)
    }

    private func sum(_ figure: (Simulation.Outcome) -> Int) -> Int { outcomes.reduce(0) { $0 + figure($1) } }

    /// What no seed has reached.
    private var unreached: String {
        let reached = outcomes.reduce(0) { $0 | $1.branches }
        let rest = Branch.allCases.filter { reached & 1 << UInt64($0.rawValue) == 0 }
        return rest.isEmpty ? "" : "; no seed reached " + rest.map { "\($0)" }.joined(separator: ", ")
    }

    var text: String {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        let tenths = Int(time.tv_sec) * 10 + Int(time.tv_nsec) / 100_000_000
        let coveringSeeds = sum { $0.covered > 0 ? 1 : 0 }
        return """
            \(outcomes.count) seeds, \(outcomes.count) busy hours, \(sum { $0.episodes }) episodes, \(sum { $0.faults }) faults, \
            \(tenths / 10).\(tenths % 10) CPU seconds; \(sum { $0.hosts }) hosts, \(sum { $0.inputs }) inputs
            \(sum { $0.twinKills }) kills without memwarnd, \(sum { $0.kills }) with it; \(sum { $0.covered }) had to be averted, in \
            \(coveringSeeds) seeds (\(outcomes.isEmpty ? 0 : coveringSeeds * 100 / outcomes.count) %); \(sum { $0.unseen }) came with much left at the last look
            \(failed) seeds failed\(unreached)
            """
    }
}

extension Invariants.Violation: CustomStringConvertible {
    package var description: String {
        let milliseconds = "\(1_000 + at / 1_000_000 % 1_000)".dropFirst()
        return "\(at / 1_000_000_000).\(milliseconds) s: \(rule): \(text)"
    }
}
