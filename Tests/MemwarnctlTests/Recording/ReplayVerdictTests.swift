import MemoryPressure
import Testing

@testable import memwarnctl

struct ReplayVerdictTests {
    /// Two storms that are marked and detected, a marked one without stalls, and one without a mark.
    private static func recording() -> MadeRecording {
        var recording = MadeRecording()
        func storm(_ recording: inout MadeRecording, isMarked: Bool, some: Double) {
            if isMarked { recording.mark(isStart: true) }
            recording.add(seconds: 10, some: some, full: some / 2)
            if isMarked { recording.mark(isStart: false) }
            recording.add(seconds: 40)
        }
        recording.add(seconds: 30)
        storm(&recording, isMarked: true, some: 0.8)
        storm(&recording, isMarked: true, some: 0.6)
        storm(&recording, isMarked: true, some: 0)
        storm(&recording, isMarked: false, some: 0.8)
        return recording
    }

    @Test("the marks show which alarms are false, which storms were missed, and how late the warnings came")
    func verdict() throws {
        let recording = Self.recording()
        let replay = try recording.replay()
        #expect(
            replay.storms == [
                Storm(start: 30_000, end: 40_000), Storm(start: 80_000, end: 90_000),
                Storm(start: 130_000, end: 140_000),
            ]
        )
        let verdict = ReplayVerdict(replay, storms: replay.storms, grace: .seconds(10))
        #expect(verdict.storms == 3)
        #expect(verdict.missed == [Storm(start: 130_000, end: 140_000)])
        #expect(verdict.falseAlarms.count == 1)
        #expect(try #require(verdict.falseAlarms.first) > 180_000)
        #expect(verdict.warningLateness.count == 2)
        #expect(try #require(verdict.warningLateness.max()) <= 4_000)
        #expect(verdict.criticalLateness == verdict.warningLateness, "these storms are critical at once")
        #expect(verdict.text.contains("3 storms, 1 missed, 1 false alarm; first warning after"))
    }

    @Test("a storm that begins at a raised level is not late, and the grace period makes an early warning correct")
    func standing() throws {
        let recording = Self.recording()
        let replay = try recording.replay()
        let rise = try #require(replay.announcements.first?.at)
        let during = ReplayVerdict(replay, storms: [Storm(start: rise + 2_000, end: rise + 3_000)], grace: .zero)
        #expect(during.warningLateness == [0])
        #expect(during.falseAlarms.first == rise)
        let graceful = ReplayVerdict(
            replay,
            storms: [Storm(start: rise + 2_000, end: rise + 3_000)],
            grace: .seconds(2)
        )
        #expect(graceful.falseAlarms.first != rise)
    }

    @Test("rises, repeats, flaps and the time at each level are counted")
    func counts() throws {
        let recording = Self.recording()
        let replay = try recording.replay()
        let counts = ReplayCounts(replay, scope: 0)
        #expect(counts.risesToCritical == 3)
        #expect(counts.risesToWarning == 0)
        // The second storm begins half a minute after the first was over, the last one much later.
        #expect(counts.flaps == 1)
        #expect(counts.normalTime + counts.warningTime + counts.criticalTime == replay.end)
        #expect((45_000...72_000).contains(counts.criticalTime))
        #expect(counts.repeats == replay.announcements.count { $0.change.isRepeat })
    }

    @Test("storms can be given as a text")
    func truth() throws {
        #expect(
            try Storm.list("# the night of the backup\n10 12.5\n\n 300\t360 # again\n")
                == [Storm(start: 10_000, end: 12_500), Storm(start: 300_000, end: 360_000)]
        )
        for (text, line) in [("10", 1), ("1 2\n3 2", 2), ("1 2 3", 1), ("a b", 1), ("-1 4", 1), ("nan nan", 1)] {
            let problem = #expect(throws: Storm.Problem.self) { try Storm.list(text) }
            #expect(problem?.line == line)
        }
    }
}
