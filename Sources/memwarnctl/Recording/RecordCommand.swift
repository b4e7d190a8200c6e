import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnSettings
import Systemd

/// `memwarnd record`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record everything that a daemon could see, to replay it with other settings.",
        discussion: """
            Needs no daemon. Samples the stalls, headroom, limits and reclaim of scopes until the time is over or it \
            is interrupted, and writes them to a new file: well under 1 MB for a calm day. A storm is a time in which \
            memory really was short; mark it with signals, so that a replay can count false alarms and missed storms: \
            SIGUSR1 marks the beginning of a storm, SIGUSR2 its end.

            Exit codes: 0 recorded, 1 nothing can be watched here or the file cannot be written, 73 the file cannot be \
            created.

            Examples:
              memwarnd record day.memrec --for 24h
              memwarnd record search.memrec --scope host --scope /system.slice/search.service
              memwarnd record storm.memrec --mark --for 30s
            """
    )

    @Argument(help: ArgumentHelp("The file to create.", valueName: "file"))
    var file: String

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The duration, such as 90s, 10min or 24h; by default until it is interrupted.",
            valueName: "time"
        ),
        transform: duration
    )
    var length: Duration?

    @Option(
        help: ArgumentHelp("host, the whole machine, or the path of a cgroup; may be repeated.", valueName: "scope")
    )
    var scope: [String] = ["host"]

    @Option(
        help: ArgumentHelp("The interval between samples, from 10ms to 10s.", valueName: "time"),
        transform: duration
    )
    var interval: Duration = .milliseconds(500)

    @Flag(help: "The whole recording is one storm.")
    var mark = false

    // For tests: a directory with the files of a simulated kernel.
    @Option(help: .private)
    var kernelRoot: String?

    func validate() throws {
        guard RecordingHeader.intervals.contains(interval.milliseconds) else {
            throw ValidationError("The interval is from 10ms to 10s.")
        }
        guard scope.count <= RecordingHeader.scopeLimit else {
            throw ValidationError("A recording has at most \(RecordingHeader.scopeLimit) scopes.")
        }
        guard Set(scope.map { $0 == "host" ? "/" : $0 }).count == scope.count else {
            throw ValidationError("A scope is named twice.")
        }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            let recorder = try record()
            if let failure = recorder.failure { throw .software("the recording is cut short: \(failure)") }
            let (samples, bytes) = recorder.size
            let storms =
                recorder.storms == 0 ? "" : ", \(recorder.storms) storm\(recorder.storms == 1 ? "" : "s") marked"
            try StandardOutput.print("\(file): \(samples) samples, \(bytes) bytes\(storms)")
            return .done
        }
    }

    private func record() throws(Failure) -> Recorder {
        let kernel = kernelRoot.map({ KernelTree(root: $0) }) ?? .live
        let files: [SensorFiles]
        do throws(KernelError) {
            var opened: [SensorFiles] = []
            for name in scope { opened.append(try SensorFiles(SensorPlace(named: name, in: kernel), in: kernel)) }
            files = opened
        } catch {
            throw .software("nothing can be recorded there: \(error)")
        }
        let output: RecordingFile
        do throws(KernelError) {
            output = try RecordingFile(making: file)
        } catch {
            let advice = error.errno == EEXIST ? "; choose another name" : ""
            throw .cannotCreate("\(error)\(advice)")
        }
        do {
            let header = RecordingHeader(interval: interval, files, in: kernel)
            let recorder = try Recorder(files, header: header, file: output, loop: EventLoop())
            if mark { recorder.mark(isStart: true) }
            try recorder.run(for: length)
            return recorder
        } catch {
            throw .software("\(error)")
        }
    }
}

/// A duration of the command line.
func duration(_ text: String) throws -> Duration {
    guard let duration = Duration(configured: text) else {
        throw ValidationError("“\(text)” is no time; write it like 500ms, 10s, 5min or 24h.")
    }
    return duration
}
