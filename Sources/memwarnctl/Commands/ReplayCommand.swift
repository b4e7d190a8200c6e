import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import WarningPolicy

/// `memwarnd replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show what the daemon would have announced during a recording, with any settings.",
        discussion: """
            Feeds recordings to the rules of the daemon, at the times at which it would have read the kernel, and \
            shows what it would have announced, when and why; with marked storms also which alarms were false, which \
            storms were missed and how late the warnings came. Without --config and --set the defaults apply. At most \
            the first 30 days of a recording are replayed.

            Exit codes: 0 replayed; 5 an expectation is not met; 65 a file is not a recording, 66 a file cannot be \
            read; 73 the picture cannot be created; 74 standard output cannot be written; 78 the configuration is \
            refused.

            Examples:
              memwarnd replay day.memrec --set levels.warning=15 --set levels.dwell=5s
              memwarnd replay storm.memrec --svg storm.svg
              memwarnd replay calm.memrec storms.memrec --expect-no-false-alarms --expect-no-missed
            """
    )

    @Argument(help: ArgumentHelp("Recordings, each on its own.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("Use the settings of this configuration.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Set a key, such as levels.warning=15; may be repeated.", valueName: "key=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("Draw the replay in this file.", valueName: "file"))
    var svg: String?

    @Flag(help: "Print JSON: bytes, seconds and percent as numbers.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "When memory was short, instead of the recording's marks: a line for each storm, with its start and end in "
                + "seconds.",
            valueName: "file"
        )
    )
    var truth: String?

    @Option(
        help: ArgumentHelp("How far from a storm a warning still belongs to it.", valueName: "time"),
        transform: duration
    )
    var grace: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp(
            "Show the stages of warnings with this number of hosts in each scope.",
            valueName: "count"
        )
    )
    var hosts = 0

    @Flag(help: "Exit with 5 if a level rises outside every storm.")
    var expectNoFalseAlarms = false

    @Flag(help: "Exit with 5 if a storm passes without a warning.")
    var expectNoMissed = false

    func validate() throws {
        guard files.count == 1 || (svg == nil && truth == nil) else {
            throw ValidationError("--svg and --truth are for one recording.")
        }
        guard (0...10_000).contains(hosts) else { throw ValidationError("There may be up to 10000 hosts.") }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            let configuration = try settings()
            let storms = try truth.map { path throws(Failure) in try Self.storms(path) }
            var entries: [ReplayEntry] = []
            var sum = ReplayVerdict()
            for file in files {
                let recording = try Self.read(file)
                let replay = Replay(recording, configuration: configuration, hosts: hosts)
                let truth = storms ?? replay.storms
                let verdict = ReplayVerdict(replay, storms: truth, grace: grace)
                // Without storms alarms cannot be judged, unless the user requests it.
                let isJudged = !truth.isEmpty || storms != nil || expectNoFalseAlarms || expectNoMissed
                entries.append(ReplayEntry(replay, file: file, verdict: isJudged ? verdict : nil))
                sum.add(verdict)
                if let svg {
                    let chart = ReplayChart(recording, replay, configuration: configuration, storms: truth)
                    try Self.write(chart.svg, to: svg)
                }
            }
            try StandardOutput.print(json ? JSONOutput.text(entries, onOneLine: false) : Self.text(entries, sum))
            let isMet = (!expectNoFalseAlarms || sum.falseAlarms.isEmpty) && (!expectNoMissed || sum.missed.isEmpty)
            return isMet ? .done : .notEnough
        }
    }

    private static func text(_ entries: [ReplayEntry], _ sum: ReplayVerdict) -> String {
        var texts = entries.map { $0.text }
        if entries.count > 1, entries.contains(where: { $0.verdict != nil }) { texts.append("in all: \(sum.outcome)") }
        return texts.joined(separator: "\n\n")
    }

    private func settings() throws(Failure) -> Settings {
        try Settings(readingFrom: config, settings: set)
    }

    private static func read(_ path: String) throws(Failure) -> RecordingReader {
        let bytes: [UInt8]
        do throws(KernelError) {
            bytes = try RecordingFile.read(path)
        } catch {
            throw Failure(message: "\(error)", code: .unreadable)
        }
        do throws(RecordingReader.Refusal) {
            return try RecordingReader(bytes)
        } catch {
            let reason =
                switch error {
                case .foreign: "is no recording; “memwarnd record” makes one"
                case .version(let version): "is a recording of version \(version), which this memwarnd does not know"
                case .header: "is cut, or damaged, before its first sample"
                }
            throw Failure(message: "\(path) \(reason)", code: .foreignFile)
        }
    }

    private static func storms(_ path: String) throws(Failure) -> [Storm] {
        let text: String
        do throws(KernelError) {
            text = try KernelFile.text(of: path, limit: 1 << 20)
        } catch {
            throw Failure(message: "\(error)", code: .unreadable)
        }
        do throws(Storm.Problem) {
            return try Storm.list(text)
        } catch {
            throw Failure(
                message: "\(path):\(error.line): expected the start and the end of a storm in seconds, found "
                    + "“\(error.text.escapedForDisplay)”",
                code: .foreignFile
            )
        }
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        guard let stream = fopen(path, "we") else {
            throw .cannotCreate("\(KernelError("make", path, errno: errno))")
        }
        let isWritten = fputs(text, stream) >= 0 && fflush(stream) == 0
        let reason = errno
        guard fclose(stream) == 0, isWritten else {
            throw .cannotCreate("\(KernelError("write", path, errno: isWritten ? errno : reason))")
        }
    }
}
