import CLinux
import Foundation
import MemoryPressure
import TestSupport
import Testing

@testable import memwarnctl

struct RecordingCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = directory.path + "/" + name
        var file = try RecordingFile(making: path)
        try file.append(bytes)
        return path
    }

    private static func storm(isMarked: Bool) -> [UInt8] {
        var recording = MadeRecording()
        recording.add(seconds: 20)
        if isMarked { recording.mark(isStart: true) }
        recording.add(seconds: 10, some: 0.8, full: 0.5, left: 0.3)
        if isMarked { recording.mark(isStart: false) }
        recording.add(seconds: 20)
        return recording.bytes
    }

    private func replay(_ arguments: [String]) throws -> (output: String, code: CInt) {
        let program = try ChildProcess("memwarnd", ["replay"] + arguments)
        let output = program.rest()
        return (output, program.wait())
    }

    @Test("recording takes samples, marks storms at signals, and ends at a signal")
    func record() throws {
        let kernel = try FakeKernel([
            "/proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n",
            "/proc/vmstat": "pgscan_kswapd 7\npgscan_direct 1\nworkingset_refault_anon 2\nworkingset_refault_file 3\n",
        ])
        let path = directory.path + "/a.memrec"
        let arguments = ["record", path, "--interval", "20ms", "--kernel-root", kernel.path("")]
        let recorder = try ChildProcess("memwarnd", arguments)
        // The recorder writes the first sample at once, and accepts signals right after that.
        func wait(until condition: (RecordingReader) -> Bool) throws {
            let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
            while MonotonicInstant.now < deadline {
                if let bytes = try? RecordingFile.read(path), let reader = try? RecordingReader(bytes),
                    condition(reader)
                {
                    return
                }
                sched_yield()
            }
            Issue.record("nothing comes")
        }
        func marks(_ reader: RecordingReader) -> [Bool] {
            var reader = reader
            var marks: [Bool] = []
            while let item = reader.next() {
                if case .mark(let isStart, _) = item { marks.append(isStart) }
            }
            return marks
        }
        try wait { _ in true }
        try wait { _ in
            let status = (try? KernelFile.text(of: "/proc/\(recorder.pid)/status")) ?? ""
            // The loop blocks the signals that it handles; SIGUSR2, signal 12, is the last of them.
            let blocked = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }?.split(separator: "\t").last
            return blocked.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << 11 != 0 } ?? false
        }
        recorder.send(SIGUSR1)
        try wait { marks($0) == [true] }
        recorder.send(SIGUSR2)
        try wait { marks($0) == [true, false] }
        recorder.send(SIGINT)
        let output = recorder.rest()
        #expect(recorder.wait() == 0, "\(output)")
        #expect(output.contains("1 storm marked"))
        var reader = try RecordingReader(try RecordingFile.read(path))
        #expect(reader.header.scopes.map(\.path) == ["/"])
        #expect(reader.header.interval == 20)
        let first = reader.next()
        #expect(first == .sample(at: 0))
        #expect(reader.header.scopes[0].figures == [.reclaim])
        #expect(reader.figures[0].scanned == 8)
        #expect(reader.figures[0].headroom?.share == .percent(90))

        let again = try ChildProcess("memwarnd", arguments)
        #expect(again.rest().contains("choose another name"))
        #expect(again.wait() == 73)
    }

    @Test("unmet expectations exit with 5")
    func expectations() throws {
        let marked = try file("marked.memrec", Self.storm(isMarked: true))
        let plain = try file("plain.memrec", Self.storm(isMarked: false))
        let both = ["--expect-no-false-alarms", "--expect-no-missed"]
        #expect(try replay([marked] + both).code == 0)
        let alarm = try replay([plain] + both)
        #expect(alarm.code == 5)
        #expect(alarm.output.contains("1 false alarm"))
        let missed = try replay([
            marked, "--expect-no-missed", "--set", "levels.critical=100", "--set", "levels.critical-full=100", "--set",
            "levels.warning=90",
        ])
        #expect(missed.code == 5, "\(missed.output)")
        #expect(missed.output.contains("1 missed"))
        try directory.write("19 31\n", to: "truth")
        #expect(try replay([plain, "--truth", directory.path + "/truth"] + both).code == 0)
        #expect(try replay([marked, plain]).output.contains("in all: 1 storm, 0 missed, 1 false alarm"))
    }

    @Test("a recording that cannot be replayed is reported, with the position of the error")
    func refusals() throws {
        let text = try file("text", Array("[levels]\n".utf8))
        let foreign = try replay([text])
        #expect(foreign.code == 65)
        #expect(foreign.output.contains("\(text) is no recording"))
        #expect(try replay([directory.path + "/nothing"]).code == 66)
        let marked = try file("marked.memrec", Self.storm(isMarked: true))
        let setting = try replay([marked, "--set", "levels.warnin=3"])
        #expect(setting.code == 78)
        #expect(setting.output.contains("--set levels.warnin=3: levels.warnin: unknown key; did you mean \"warning\""))
        try directory.write("1 2\n2 x\n", to: "truth")
        let truth = try replay([marked, "--truth", directory.path + "/truth"])
        #expect(truth.code == 65)
        #expect(truth.output.contains("truth:2: expected the start and the end of a storm"))
        #expect(try replay([marked, text, "--svg", directory.path + "/x.svg"]).code == 64)
        #expect(try replay([marked, "--svg", directory.path + "/no/x.svg"]).code == 73)
        let full = try replay([marked, "--svg", "/dev/full"])
        #expect(full.code == 73)
        #expect(full.output.contains("cannot write /dev/full: No space left on device"))
    }

    @Test("a truncated recording is replayed up to its end, with a message")
    func cut() throws {
        let bytes = Self.storm(isMarked: true)
        let outcome = try replay([try file("cut.memrec", Array(bytes.dropLast(3)))])
        #expect(outcome.code == 0)
        #expect(outcome.output.contains("the file is cut, and replayed up to there"))
    }

    @Test("the picture is a single well-formed file without scripts, and JSON has the same contents as the text")
    func forms() throws {
        let marked = try file("marked.memrec", Self.storm(isMarked: true))
        let picture = directory.path + "/x.svg"
        let outcome = try replay([marked, "--json", "--hosts", "2", "--svg", picture])
        #expect(outcome.code == 0)
        let entries = try JSONDecoder().decode([Entry].self, from: Data(outcome.output.utf8))
        let entry = try #require(entries.first)
        #expect(entry.announcements.first?.change == "rises")
        #expect(entry.announcements.first?.level == "critical")
        #expect(entry.announcements.first?.stages?.map(\.hosts) == [2])
        #expect(entry.verdict?.storms == 1)
        #expect(entry.scopes.first?.risesToCritical == 1)
        let svg = try KernelFile.text(of: picture)
        #expect(svg.hasPrefix("<svg "))
        #expect(!svg.contains("<script") && !svg.contains("href"))
        #expect(
            svg.contains("class=\"storm\"") && svg.contains("class=\"critical\"") && svg.contains("path class=\"left\"")
        )
        #expect(svg.contains("prefers-color-scheme: dark"))
        #expect(svg.count { $0 == "<" } == svg.count { $0 == ">" })
    }

    private struct Entry: Decodable {
        struct Announcement: Decodable {
            struct Stage: Decodable {
                let hosts: Int
            }
            let change: String
            let level: String
            let stages: [Stage]?
        }
        struct Verdict: Decodable {
            let storms: Int
        }
        struct Counts: Decodable {
            let risesToCritical: Int
        }
        let announcements: [Announcement]
        let verdict: Verdict?
        let scopes: [Counts]
    }
}
