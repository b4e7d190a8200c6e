internal import BenchSupport
internal import CBench

/// Measures one warning to many hosts, by `simulate`, up to the last receipt and up to the last counted answer.
struct Broadcast {
    let workbench: Workbench

    /// The number of rounds for each number of hosts, as far as they fit into ``patience``.
    private static let sizes = [(hosts: 1, rounds: 500), (100, 300), (1_000, 100), (10_000, 15)]

    /// After that number of nanoseconds a row ends with the rounds that it has.
    private static let patience: UInt64 = 10_000_000_000

    func run() throws {
        var (heldReceipts, receipts, answers) = ([[String]](), [[String]](), [[String]]())
        for (hosts, rounds) in Self.sizes {
            let held = try measure(hosts, rounds, .held)
            let atOnce = try measure(hosts, rounds, .atOnce)
            heldReceipts.append(["\(hosts)"] + held.receipt.cells)
            receipts.append(["\(hosts)"] + atOnce.receipt.cells)
            answers.append(["\(hosts)"] + atOnce.answers.cells)
        }
        let heads = ["hosts"] + Comparison.heads
        Table.print("Broadcast: request to last receipt, answers only afterwards", heads, heldReceipts)
        Table.print("Broadcast: request to last receipt, each host answers at once", heads, receipts)
        Table.print("Round: request to last answer counted, each host answers at once", heads, answers)
    }

    private func measure(
        _ hosts: Int,
        _ rounds: Int,
        _ answers: Workbench.Answers
    ) throws -> (receipt: Comparison, answers: Comparison) {
        let plain = try workbench.plain("plain")
        let plainCrowd = try workbench.crowd("plain", hosts: hosts, answers: answers)
        let daemon = try workbench.memwarnd("memwarnd", configuration: Workbench.neverPressed)
        let daemonCrowd = try workbench.crowd("memwarnd", hosts: hosts, answers: answers)
        defer { workbench.end([plainCrowd, daemonCrowd, plain, daemon], sockets: ["plain", "memwarnd"]) }

        var receipt = Comparison()
        var answered = Comparison()
        // The first rounds do not count, since the processor's caches are cold.
        let start = bench_now()
        for round in -3..<rounds where round < 1 || bench_now() - start < Self.patience {
            let baseline = try Self.round(plainCrowd)
            let ours = try Self.round(daemonCrowd)
            guard round >= 0 else { continue }
            receipt.add(baseline: baseline.last, ours: ours.last)
            answered.add(baseline: baseline.done, ours: ours.done)
        }
        return (receipt, answered)
    }

    private static func round(_ crowd: Program) throws -> (last: UInt64, done: UInt64) {
        crowd.write("round")
        let numbers = try crowd.numbers()
        guard numbers.count == 2 else { throw Failure(sentence: "the crowd did not understand") }
        return (numbers[0], numbers[1])
    }
}
