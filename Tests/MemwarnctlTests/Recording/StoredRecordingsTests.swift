import MemoryPressure
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnctl

/// Replays of real pressure with the default settings; `Tests/Recordings/make.sh` recorded it.
struct StoredRecordingsTests {
    private static func recording(_ name: String) throws -> [UInt8] {
        let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try RecordingFile.read("/\(tests)/Recordings/\(name).memrec")
    }

    @Test("every storm gets a warning in time, and there are no other warnings")
    func storms() throws {
        let replay = Replay(try RecordingReader(try Self.recording("storms")), configuration: Settings())
        let verdict = ReplayVerdict(replay, storms: replay.storms, grace: .seconds(10))
        print("storms.memrec: \(verdict.text)")
        #expect(verdict.storms >= 4)
        #expect(verdict.missed.isEmpty)
        #expect(verdict.falseAlarms.isEmpty)
        // Without privilege the kernel checks every 2 s, and its first event may come a window late.
        #expect(try #require(verdict.warningLateness.max()) <= 5_000)
    }

    /// The settings that docs/TUNING.md proposes for machines without spare CPUs.
    private static let proposedWhereBusy = ["levels.critical-full=30", "levels.warning=25"]

    @Test("ordinary work that reaches its limit causes no alarm")
    func calm() throws {
        let reader = try RecordingReader(try Self.recording("calm"))
        let replay = Replay(reader, configuration: Settings())
        #expect(replay.end > 100_000)
        #expect(replay.announcements.isEmpty, "\(ReplayEntry(replay, file: "calm", verdict: nil).text)")
    }

    @Test("on a machine with more work than CPUs, waiting for a CPU looks like waiting for memory")
    func busy() throws {
        let reader = try RecordingReader(try Self.recording("busy"))
        withKnownIssue("a task that waits for a CPU while it reclaims counts as stalled") {
            #expect(Replay(reader, configuration: Settings()).announcements.isEmpty)
        }
        let settings = try Settings(readingFrom: nil, settings: Self.proposedWhereBusy)
        #expect(Replay(reader, configuration: settings).announcements.isEmpty)
    }

    @Test("with the proposed settings no storm is missed either")
    func proposals() throws {
        let settings = try Settings(readingFrom: nil, settings: Self.proposedWhereBusy)
        let replay = Replay(try RecordingReader(try Self.recording("storms")), configuration: settings)
        let verdict = ReplayVerdict(replay, storms: replay.storms, grace: .seconds(10))
        #expect(verdict.missed.isEmpty)
        #expect(verdict.falseAlarms.isEmpty)
        #expect(try #require(verdict.warningLateness.max()) <= 6_000)
    }

    @Test("a day of this work, made by repetition, fits into a megabyte and causes no alarm")
    func calmDay() throws {
        var reader = try RecordingReader(try Self.recording("calm"))
        var samples: [[RecordedFigures]] = []
        while let item = reader.next() {
            if case .sample = item { samples.append(reader.figures) }
        }
        let (first, last) = (try #require(samples.first), try #require(samples.last))
        var writer = RecordingWriter(reader.header)
        var turn = first
        var written: UInt64 = 0
        let day: UInt64 = 86_400_000 / reader.header.interval
        while written < day {
            for sample in samples where written < day {
                writer.sample(
                    zip(turn.indices, sample).map { turn[$0].continued($1, from: first[$0]) },
                    at: written * reader.header.interval
                )
                written += 1
            }
            turn = turn.indices.map { turn[$0].continued(last[$0], from: first[$0]) }
        }
        let bytes = writer.take()
        print("a day of calm.memrec: \(bytes.count) bytes")
        #expect(bytes.count < 1 << 20)
        let replay = Replay(try RecordingReader(bytes), configuration: Settings())
        #expect(replay.samples == day)
        #expect(replay.announcements.isEmpty)
    }

    @Test("recordings stay small")
    func sizes() throws {
        for name in ["storms", "calm", "busy"] { #expect(try Self.recording(name).count < 100 << 10) }
    }
}

extension RecordedFigures {
    /// These counts, increased by the growth from `start` to `later`.
    fileprivate func continued(_ later: Self, from start: Self) -> Self {
        var sum = later
        sum.some = some + later.some - start.some
        sum.full = full + later.full - start.full
        sum.high = high + later.high - start.high
        sum.max = max + later.max - start.max
        sum.scanned = scanned + later.scanned - start.scanned
        sum.refaulted = refaulted + later.refaulted - start.refaulted
        return sum
    }
}
