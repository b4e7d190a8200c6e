import MemoryPressure
import MemwarnProgram
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnctl

struct ReplayTests {
    private static func line(_ announcement: Replay.Announcement) -> String {
        "\(announcement.at) \(announcement.change) \(announcement.level) \(announcement.reason.source)"
    }

    @Test("stalls wake the sensor and raise critical at once, and the level falls after the dwell")
    func critical() throws {
        var recording = MadeRecording()
        recording.add(seconds: 20)
        recording.add(seconds: 8, some: 0.8, full: 0.3)
        recording.add(seconds: 30)
        let replay = try recording.replay()
        let first = try #require(replay.announcements.first)
        // The kernel checks an unprivileged trigger 2 s after stalls begin.
        #expect((22_000...23_000).contains(first.at))
        #expect(first.level == .critical)
        let last = try #require(replay.announcements.last)
        #expect(last.change == .fell(from: .critical))
        #expect(last.level == .normal)
        // The dwell of 10 s, and one window until the sensor sees that it is over.
        #expect((38_000...42_500).contains(last.at), "\(replay.announcements.map(Self.line))")
        #expect(replay.replayedEvents >= 1)
    }

    @Test("some alone causes a warning after a while, and needs reclaim if reclaim is recorded")
    func warning() throws {
        func replay(_ figures: RecordingHeader.Figures, reclaims: Bool) throws -> Replay {
            var recording = MadeRecording(figures: figures)
            recording.add(seconds: 10)
            recording.add(seconds: 12, some: 0.2, reclaims: reclaims)
            recording.add(seconds: 20)
            return try recording.replay()
        }
        #expect(try replay([.stalls], reclaims: false).announcements.first?.level == .warning)
        #expect(try replay([.stalls, .reclaim], reclaims: true).announcements.first?.level == .warning)
        // The first event is believed, since nothing is known of the time before it; but one reading alone causes no warning.
        #expect(try replay([.stalls, .reclaim], reclaims: false).announcements.isEmpty)
    }

    @Test("headroom is read without any event, and a hit of a limit is an event")
    func limits() throws {
        var recording = MadeRecording(rung: .events, figures: [.limitEvents], left: 0.45)
        recording.add(seconds: 10, left: 0.45)
        recording.add(seconds: 30, left: 0.08)
        let replay = try recording.replay()
        #expect(replay.announcements.first?.reason.source == .headroom)
        // Below half the limit, headroom is read at least every 10 s.
        #expect(try #require(replay.announcements.first).at <= 21_000)

        var hit = MadeRecording(rung: .events, figures: [.limitEvents], left: 0.11)
        hit.add(seconds: 10, left: 0.11)
        hit.hit(max: 1)
        hit.add(seconds: 1, left: 0.11)
        let announcement = try #require(try hit.replay().announcements.first)
        #expect(announcement.level == .critical)
        #expect(announcement.reason.source == .maxEvents)
        #expect(announcement.at == 10_500)
    }

    @Test("a replay of a recording announces the same as a sensor on the same simulated kernel")
    func sameAsSensor() throws {
        let cgroup = "/sys/fs/cgroup/a.slice"
        let kernel = try FakeKernel([
            "/proc/self/mountinfo": "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "\(cgroup)/cgroup.events": "populated 1\n",
            "\(cgroup)/memory.current": "600000000\n",
            "\(cgroup)/memory.max": "1000000000\n",
            "\(cgroup)/memory.high": "max\n",
            "\(cgroup)/memory.stat": "inactive_file 0\npgscan 0\nworkingset_refault 0\n",
            "\(cgroup)/memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n",
        ])
        let place = try SensorPlace(named: "/a.slice", in: kernel.tree)
        let files = try SensorFiles(place, in: kernel.tree)
        let header = RecordingHeader(interval: .milliseconds(500), [files], in: kernel.tree)
        #expect(
            header.scopes == [
                RecordingHeader.Scope(
                    path: "/a.slice",
                    rung: .events,
                    window: 1_000_000,
                    figures: [.limitEvents, .reclaim]
                )
            ]
        )
        var first = files.first
        first.at = Replay.instant(0)
        var judge = PressureJudge(rung: .events, window: files.window, policy: SensorPolicy(), first: first)
        var writer = RecordingWriter(header)
        var changes: [LevelMachine.Change] = []
        var due = judge.due
        let steps = [600, 700, 800, 880, 900, 915, 930, 980, 990, 600, 500, 500, 500]
        for (index, used) in steps.flatMap({ Array(repeating: $0, count: 8) }).enumerated() {
            try kernel.set("\(cgroup)/memory.current", "\(used * 1_000_000)\n")
            let at = UInt64(index) * 500
            var figures = RecordedFigures()
            figures.headroom = try files.read(.headroom).headroom
            writer.sample([figures], at: at)
            let now = Replay.instant(at)
            // As a timer would: at the nearer sample.
            guard index > 0, let last = due, last <= now.advanced(by: .milliseconds(250)) else { continue }
            let change = try judge.handle(.tick, at: now) { (reads) throws(KernelError) in
                try files.read(reads, at: now)
            }
            if let change { changes.append(change) }
            due = judge.due
        }
        let replay = Replay(try RecordingReader(writer.take()), configuration: Settings())
        #expect(changes == [.rose(from: .normal), .rose(from: .warning), .fell(from: .critical)])
        #expect(replay.announcements.map(\.change) == changes)
    }

    @Test("the settings of the replay apply, not those of the recording")
    func settings() throws {
        var recording = MadeRecording(figures: [.stalls])
        recording.add(seconds: 10)
        recording.add(seconds: 20, some: 0.2)
        #expect(try recording.replay().announcements.count == 1)
        let configuration = try Settings(
            readingFrom: nil,
            settings: ["levels.warning=30", "levels.critical=50", "levels.dwell=5s"]
        )
        #expect(configuration.levels.dwell == .seconds(5))
        #expect(configuration.stalls.some == .percent(30))
        #expect(try recording.replay(configuration).announcements.isEmpty)
        for wrong in ["levels.warning", "=3", "levels.warnin=3", "levels.dwell=soon", "levels.warning.more=3"] {
            #expect(throws: Failure.self) { try Settings(readingFrom: nil, settings: [wrong]) }
        }
    }

    @Test("a warning spreads outwards only while the recording shows pressure", arguments: [true, false])
    func stages(lasts: Bool) throws {
        let scopes = ["/a.slice", "/b.slice"].map { path in
            RecordingHeader.Scope(path: path, rung: .usage, window: 1_000_000, figures: [])
        }
        let header = RecordingHeader(interval: 500, began: 0, kernel: "6.12.0", memoryTotal: 1 << 30, scopes: scopes)
        var writer = RecordingWriter(header)
        var figures = [RecordedFigures(), RecordedFigures()]
        for (index, left) in [0.13, 0.13, 0.08, lasts ? 0.08 : 0.5, 0.5, 0.5].enumerated() {
            // The machine's limit, for which other hosts can also release memory; so near that it is read every second.
            let limit = BindingLimit(.machine, bytes: 1000 << 12, path: "/")
            figures[0].headroom = Headroom(limit: limit, used: UInt64((1 - left) * 1000) << 12)
            writer.sample(figures, at: UInt64(index) * 500)
        }
        let replay = Replay(try RecordingReader(writer.take()), configuration: Settings(), hosts: 3)
        let announcement = try #require(replay.announcements.first)
        #expect(announcement.level == .warning)
        let round = try #require(announcement.stages)
        #expect(round.planned == 2)
        #expect(round.told.map(\.ring) == (lasts ? [.inside, .rest] : [.inside]))
        #expect(round.told.allSatisfy { $0.hosts == 3 })
    }
}
