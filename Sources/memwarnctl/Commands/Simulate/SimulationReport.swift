import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import WarningPolicy

/// The bytes that the hosts are expected to give, all hosts and all steps together; `nil` for any number.
struct ExpectedBytes: Equatable {
    /// By their own count.
    var released: UInt64?
    /// By the fall of their resident sets.
    var residentFreed: UInt64?
}

/// The result of a simulation: its steps, the totals, and the verdict.
struct SimulationReport {
    let steps: [StepResult]
    let expected: ExpectedBytes
    /// Why the course did not reach its end, if it did not.
    var failure: Failure?

    /// The bytes that the hosts claim to have released.
    var released: UInt64 { steps.reduce(0) { $0.addingClamped($1.released) } }
    /// The bytes by which their resident memory fell.
    var residentFreed: UInt64 { steps.reduce(0) { $0.addingClamped($1.residentFreed) } }

    var verdict: Verdict {
        let worst = steps.map(\.verdict).max() ?? .fine
        let isTooLittle = released < expected.released ?? 0 || residentFreed < expected.residentFreed ?? 0
        return max(worst, isTooLittle ? .tooLittle : .fine)
    }

    /// The exit code: that of the failure, or of the verdict.
    var code: ExitStatus { failure?.code ?? verdict.code }
}

// MARK: In words

extension SimulationReport: CustomStringConvertible {
    var description: String {
        let body = steps.count == 1 ? Table(hosts: steps[0].hosts).text : stepTable
        return ([body + "\n", summary] + complaints).joined(separator: "\n")
    }

    private var stepTable: String {
        var table = Table([
            .right("STEP"), .right("AT"), .left("LEVEL"), .right("HOSTS"), .right("ANSWERED"),
            .right("LATE"), .right("SILENT"), .right("RELEASED"), .right("RESIDENT"), .right("TOOK"),
        ])
        for (index, result) in steps.enumerated() {
            table.add([
                "\(index + 1)",
                "\(Milliseconds(microseconds: result.began.microseconds))",
                "\(result.step.level)" + (result.step.isRepeat ? ", again" : ""),
                "\(result.round.hosts)",
                "\(result.round.answered)",
                "\(result.late)",
                "\(result.unanswered)",
                "\(ByteCount(result.released))",
                result.residentFall,
                "\(Milliseconds(microseconds: result.round.duration))",
            ])
        }
        return table.text
    }

    private var summary: String {
        let given = "\(ByteCount(released)) released, resident memory down by \(ByteCount(residentFreed))"
        guard steps.count == 1 else { return "\(steps.count) steps: \(given)" }
        let result = steps[0]
        let told = counted(result.round.unacknowledged, "host")
        let mute = result.round.unacknowledged > 0 ? ", \(told) told without an answer" : ""
        let time =
            result.late > 0
            ? "time, \(result.late) late" : "\(Milliseconds(microseconds: result.round.duration))"
        let answered = "\(result.round.answered) of \(counted(result.round.hosts, "host")) answered in \(time)"
        return "\(answered)\(mute), \(given)"
    }

    /// The state of hosts that a round could not tell, and that the daemon does not list with it.
    private static let fate = "are gone, or were told of a newer warning instead"

    /// The complaints, one sentence each.
    private var complaints: [String] {
        var sentences: [String] = []
        if let expected = expected.released, released < expected {
            sentences.append("too little: \(ByteCount(expected)) were expected, \(ByteCount(released)) were released")
        }
        if let expected = expected.residentFreed, residentFreed < expected {
            sentences.append(
                "too little: resident memory was expected to fall by \(ByteCount(expected)), "
                    + "it fell by \(ByteCount(residentFreed))"
            )
        }
        guard steps.count > 1 else {
            if let result = steps.first, result.hosts.isEmpty, result.unanswered > 0 {
                sentences.append("the missing hosts \(Self.fate)")
            }
            return sentences
        }
        for (index, result) in steps.enumerated() where result.verdict > .fine {
            let named = result.hosts.filter { $0.outcome != .answered && $0.outcome != .unacknowledged }
                .map { "\($0.name.escapedForDisplay) (pid \($0.pid)) \($0.outcomeName)" }
            let who = named.isEmpty ? "hosts that \(Self.fate)" : named.joined(separator: ", ")
            sentences.append("step \(index + 1), \(result.step.level): \(who)")
        }
        return sentences
    }
}

// MARK: In JSON

extension SimulationReport: Encodable {
    enum CodingKeys: CodingKey {
        case verdict, exitCode, failure, expectedBytes, expectedResidentFreedBytes, releasedBytes, residentFreedBytes
        case steps
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(failure == nil ? verdict.name : "unfinished", forKey: .verdict)
        try container.encode(code.rawValue, forKey: .exitCode)
        try container.encodeIfPresent(failure?.message, forKey: .failure)
        try container.encodeIfPresent(expected.released, forKey: .expectedBytes)
        try container.encodeIfPresent(expected.residentFreed, forKey: .expectedResidentFreedBytes)
        try container.encode(released, forKey: .releasedBytes)
        try container.encode(residentFreed, forKey: .residentFreedBytes)
        try container.encode(steps.map(StepEntry.init), forKey: .steps)
    }
}

/// A step in JSON.
private struct StepEntry: Encodable {
    let level: String
    let startSeconds: Double
    let holdSeconds: Double
    let repeated: Bool
    let verdict: String
    let late: UInt32
    let unanswered: UInt32
    let releasedBytes: UInt64
    let residentFreedBytes: UInt64
    let round: JSONObject
    let hosts: [JSONObject]

    init(_ result: StepResult) {
        level = "\(result.step.level)"
        startSeconds = Double(result.step.start.microseconds) / 1e6
        holdSeconds = Double(result.step.hold.microseconds) / 1e6
        repeated = result.step.isRepeat
        verdict = result.verdict.name
        late = result.late
        unanswered = result.unanswered
        releasedBytes = result.released
        residentFreedBytes = result.residentFreed
        round = result.round.json
        hosts = result.hosts.map(\.json)
    }
}
