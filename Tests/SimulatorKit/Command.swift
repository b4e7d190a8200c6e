internal import CLinux
internal import MemoryPressure

/// The program: runs seeds, and prints the results.
package struct Command {
    private enum Task {
        case run
        case trace
        case reach
        case minimise
        case play
    }

    private var task = Task.run
    /// The seeds to run within the time.
    private var seeds = UInt64(1)..<1
    /// The time in seconds within which another seed may begin; `nil` for no limit.
    private var seconds: UInt64?
    /// Whether the run ends with the first seed that breaks a rule.
    private var endsWithFailure = false
    private var saysHashes = false

    /// Reads `COUNT BASE`, `for SECONDS BASE`, `hunt BASE`, `seed SEED`, `trace SEED`, `reach SEED` or `minimise SEED`, or `play`
    /// for a script from standard input; after `hashes` each seed also prints a line with the hash of its trace.
    package init(_ arguments: [String]) {
        var words = arguments[...]
        if words.first == "hashes" {
            saysHashes = true
            words = words.dropFirst()
        }
        let numbers = words.compactMap { UInt64($0) }
        let first = numbers.first ?? 1
        let base = numbers.dropFirst().first ?? 1
        switch words.first {
        case "for"?: (seconds, seeds) = (first, base..<UInt64.max)
        case "hunt"?: (endsWithFailure, seeds) = (true, first..<UInt64.max)
        case "seed"?: seeds = first..<first + 1
        case "trace"?: (task, seeds) = (.trace, first..<first + 1)
        case "reach"?: (task, seeds) = (.reach, first..<first + 1)
        case "play"?: task = .play
        case "minimise"?: (task, seeds) = (.minimise, first..<first + 1)
        default: seeds = base..<base + (numbers.first ?? 20)
        }
    }

    /// Runs the command.
    ///
    /// - Returns: Whether no rule was broken.
    package func run() -> Bool {
        if task == .play { return play() }
        if task == .minimise {
            for seed in seeds { minimise(seed) }
            return true
        }
        var sum = Sum()
        let end = seconds.map { MonotonicInstant.now.advanced(by: .seconds($0)) }
        for seed in seeds {
            if let end, MonotonicInstant.now >= end { break }
            let outcome = Simulation.run(Scenario(seed: seed), isTraced: task == .trace)
            for line in outcome.lines { print(line) }
            if saysHashes { print("hash \(seed) \(outcome.hash)") }
            if task == .reach {
                let branches = Branch.allCases.filter { outcome.branches & 1 << UInt64($0.rawValue) != 0 }
                print("seed \(seed) reaches " + branches.map { "\($0)" }.joined(separator: ", "))
            }
            for violation in outcome.violations { print("seed \(seed), \(violation)") }
            sum.add(outcome)
            if endsWithFailure, sum.failed > 0 { break }
        }
        print(sum.text)
        if !sum.coversEnough {
            print("too few seeds have a kill that had to be averted: at least \(Sum.leastCovering) % should")
        }
        return sum.failed == 0 && sum.coversEnough
    }

    private func play() -> Bool {
        var lines: [String] = []
        while let line = readLine() { lines.append(line) }
        do throws(Script.Fault) {
            for line in Simulation.play(try Script(lines)) { print(line) }
            return true
        } catch {
            print("cannot understand “\(error.line)”")
            return false
        }
    }

    private func minimise(_ seed: UInt64) {
        guard let (scenario, outcome) = Minimiser.minimise(Scenario(seed: seed)) else {
            return print("seed \(seed) breaks no rule")
        }
        print("seed \(seed) still fails with this; its whole trace: simulator trace \(seed)")
        print(scenario.test(outcome))
    }
}

/// The total of many runs.
private struct Sum {
    private var outcomes: [Simulation.Outcome] = []
    var failed: Int { outcomes.reduce(0) { $0 + ($1.violations.isEmpty ? 0 : 1) } }

    /// The minimum share of seeds with a kill that has to be averted, in percent: with fewer the rule `kill` means little.
    static let leastCovering = 30
    private var covering: Int { sum { $0.covered > 0 ? 1 : 0 } }
    /// Whether there are that many; a small number of seeds proves nothing.
    var coversEnough: Bool { outcomes.count < 100 || covering * 100 >= outcomes.count * Self.leastCovering }

    mutating func add(_ outcome: Simulation.Outcome) {
        var outcome = outcome
        outcome.lines = []
        outcomes.append(outcome)
    }

    private func sum(_ figure: (Simulation.Outcome) -> Int) -> Int { outcomes.reduce(0) { $0 + figure($1) } }

    /// The branches that no seed has reached.
    private var unreached: String {
        let reached = outcomes.reduce(0) { $0 | $1.branches }
        let rest = Branch.allCases.filter { reached & 1 << UInt64($0.rawValue) == 0 }
        let names = rest.map { "\($0)" }.joined(separator: ", ")
        return rest.isEmpty ? "each branch was reached" : "no seed reached " + names
    }

    var text: String {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        let tenths = Int(time.tv_sec) * 10 + Int(time.tv_nsec) / 100_000_000
        return """
            \(outcomes.count) seeds, \(outcomes.count) busy hours, \(sum { $0.episodes }) episodes, \(sum { $0.faults }) faults, \
            \(tenths / 10).\(tenths % 10) CPU seconds; \(sum { $0.hosts }) hosts, \(sum { $0.inputs }) inputs
            \(sum { $0.twinKills }) kills without memwarnd, \(sum { $0.kills }) with it; \(sum { $0.covered }) had to be averted, in \
            \(covering) seeds (\(outcomes.isEmpty ? 0 : covering * 100 / outcomes.count) %); \(sum { $0.unseen }) came with much left at the last look
            \(sum { $0.released } / 1024) GiB released by hosts
            \(failed) seeds failed
            \(unreached)
            """
    }
}

extension Invariants.Violation: CustomStringConvertible {
    package var description: String {
        let milliseconds = "\(1_000 + at / 1_000_000 % 1_000)".dropFirst()
        return "\(at / 1_000_000_000).\(milliseconds) s: \(rule): \(text)"
    }
}
