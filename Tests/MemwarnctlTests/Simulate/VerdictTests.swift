import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Testing

@testable import memwarnctl

/// A simulation's exit code, derived from records in the daemon's form.
struct VerdictTests {
    private func round(
        hosts: UInt32,
        answered: UInt32,
        unacknowledged: UInt32 = 0,
        released: UInt64 = 0,
        residentFreed: UInt64? = nil
    ) -> RoundRecord {
        RoundRecord {
            $0.id = 1
            $0.state = .finished
            $0.level = .warning
            $0.options = [.simulated, .answerWanted]
            $0.reason = .simulation
            $0.hosts = hosts
            $0.answered = answered
            $0.silent = hosts - answered - unacknowledged
            $0.released = released
            $0.residentFreed = residentFreed ?? released
            $0.duration = 1_000
            $0.scope = "/"
            $0.unacknowledged = unacknowledged
        }
    }

    private func host(_ outcome: HostRecord.Outcome, released: UInt64 = 0, residentBefore: UInt64 = 0) -> HostRecord {
        HostRecord {
            $0.id = 1
            $0.state = .present
            $0.pid = 1
            $0.level = .normal
            $0.lastRound = 1
            $0.outcome = outcome
            $0.released = released
            $0.residentBefore = residentBefore
            $0.residentAfter = residentBefore - released
            $0.name = "host"
            $0.scope = "/"
        }
    }

    private func report(
        _ steps: [(RoundRecord, [HostRecord])],
        _ expected: ExpectedBytes = ExpectedBytes()
    ) -> SimulationReport {
        let step = Course([(.warning, .zero)]).steps[0]
        return SimulationReport(
            steps: steps.map { StepResult(step: step, began: .zero, round: $0.0, hosts: $0.1) },
            expected: expected
        )
    }

    @Test func allAnswered() {
        let fine = report([(round(hosts: 1, answered: 1, released: 8), [host(.answered)])], ExpectedBytes(released: 8))
        #expect(fine.verdict == .fine)
        #expect(fine.code == .done)
    }

    @Test("a host that cannot answer is not silent")
    func unacknowledged() {
        let record = round(hosts: 2, answered: 1, unacknowledged: 1)
        #expect(report([(record, [host(.answered), host(.unacknowledged)])]).verdict == .fine)
    }

    @Test("figures that a host did not measure are a dash, and a fall of 0 has no sign")
    func unmeasured() {
        #expect(host(.answered).residentChange == "–")
        #expect(host(.answered, released: 1_024, residentBefore: 2_048).residentChange == "2 KiB → 1 KiB")
        func fall(_ bytes: UInt64, _ host: HostRecord) -> String {
            let record = round(hosts: 1, answered: 1, residentFreed: bytes)
            let step = Course([(.normal, .zero)]).steps[0]
            return StepResult(step: step, began: .zero, round: record, hosts: [host]).residentFall
        }
        #expect(fall(0, host(.answered)) == "–")
        #expect(fall(0, host(.answered, residentBefore: 100)) == "0 B")
        #expect(fall(5, host(.answered, residentBefore: 100)) == "−5 B")
    }

    @Test("an answer after the deadline makes a host late instead of silent, and counts")
    func late() {
        let late = host(.silent, released: 5, residentBefore: 100)
        #expect(late.outcomeName == "late")
        let result = report([(round(hosts: 2, answered: 1, released: 3), [host(.answered), late])])
        #expect(result.code == .late)
        #expect(result.released == 8)
        #expect(result.residentFreed == 8)
        #expect(result.steps[0].late == 1 && result.steps[0].unanswered == 0)
    }

    @Test("a host that has left, or was never reached, counts as silent")
    func silent() {
        #expect(report([(round(hosts: 1, answered: 0), [])]).code == .silent)
        #expect(report([(round(hosts: 1, answered: 0), [host(.silent)])]).code == .silent)
        #expect(host(.silent).outcomeName == "silent")
    }

    @Test("less than expected, summed over all steps, is too little")
    func tooLittle() {
        let steps = [UInt64(3), 4].map { (round(hosts: 1, answered: 1, released: $0), [host(.answered)]) }
        #expect(report(steps, ExpectedBytes(released: 7)).code == .done)
        let short = report(steps, ExpectedBytes(released: 8))
        #expect(short.code == .notEnough)
        #expect(short.description.hasSuffix("too little: 8 B were expected, 7 B were released"))
    }

    @Test(
        "resident sets that fell by less than expected, over all steps together, are too little, whatever was claimed"
    )
    func tooLittleResident() {
        let steps = [UInt64(3), 4].map {
            (round(hosts: 1, answered: 1, released: 9, residentFreed: $0), [host(.answered)])
        }
        #expect(report(steps, ExpectedBytes(released: 18, residentFreed: 7)).code == .done)
        let short = report(steps, ExpectedBytes(released: 18, residentFreed: 8))
        #expect(short.code == .notEnough)
        #expect(short.description.hasSuffix("too little: resident memory was expected to fall by 8 B, it fell by 7 B"))
    }

    @Test("the worst step determines the verdict")
    func worst() {
        let late = host(.silent, residentBefore: 100)
        let steps = [
            (round(hosts: 1, answered: 0), [late]), (round(hosts: 1, answered: 0), [host(.silent)]),
            (round(hosts: 1, answered: 1), [host(.answered)]),
        ]
        let result = report(steps, ExpectedBytes(released: 1))
        #expect(result.verdict == .silent)
        #expect(result.description.contains("step 1, warning: host (pid 1) late\nstep 2, warning: host (pid 1) silent"))
    }

    @Test("an unfinished course ends with the reason's code")
    func unfinished() {
        var result = report([(round(hosts: 1, answered: 0), [host(.silent)])])
        result.failure = .unavailable("gone")
        #expect(result.code == .unavailable)
    }
}
