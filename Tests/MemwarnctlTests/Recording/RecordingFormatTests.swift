import MemoryPressure
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnctl

struct RecordingFormatTests {
    private static let header = RecordingHeader(
        interval: 500,
        began: 1_700_000_000,
        kernel: "6.12.0-é",
        memoryTotal: 16 << 30,
        scopes: [
            RecordingHeader.Scope(path: "/", rung: .privileged, window: 500_000, figures: [.stalls, .reclaim]),
            RecordingHeader.Scope(path: "/a.slice", rung: .events, window: 1_000_000, figures: [.limitEvents]),
        ]
    )

    /// A recording in which every value changes, with the times and figures that were recorded.
    private static func made() -> (bytes: [UInt8], items: [RecordingItem], figures: [[RecordedFigures]]) {
        var random = SeededGenerator(seed: 4)
        var writer = RecordingWriter(header)
        var now = [RecordedFigures(), RecordedFigures()]
        var items: [RecordingItem] = []
        var figures: [[RecordedFigures]] = []
        for index in 0..<400 {
            // The recorder is sometimes late.
            let at = UInt64(index) * 500 + (index % 50 == 49 ? 300 : 0)
            if index % 3 == 0 {
                now[0].some += UInt64.random(in: 0...500_000, using: &random)
                now[0].full = now[0].some / 2
                now[0].scanned &+= UInt64.random(in: 0 ... .max, using: &random)
                now[1].high += UInt64.random(in: 0...3, using: &random)
                now[1].max += UInt64.random(in: 0...1, using: &random)
                let limit = BindingLimit(.max, bytes: index < 200 ? 1 << 30 : 2 << 30, path: "/a.slice")
                now[1].headroom = Headroom(limit: limit, used: UInt64.random(in: 0...262_143, using: &random) * 4096)
            }
            if index == 300 { now[1].headroom = nil }
            writer.sample(now, at: at)
            items.append(.sample(at: at))
            figures.append(now)
            if index % 40 == 7 {
                writer.event(scope: 1, .limits, at: at + 20)
                items.append(.event(scope: 1, .limits, at: at + 20))
                writer.event(scope: 0, .stalls(.full), at: at + 30)
                items.append(.event(scope: 0, .stalls(.full), at: at + 30))
                writer.mark(isStart: index % 80 == 7, at: at + 31)
                items.append(.mark(isStart: index % 80 == 7, at: at + 31))
            }
        }
        return (writer.take(), items, figures)
    }

    @Test("a recording is read back with every figure and every time")
    func roundTrip() throws {
        let made = Self.made()
        var reader = try RecordingReader(made.bytes)
        #expect(reader.header == Self.header)
        #expect(reader.items == made.items)
        var samples = 0
        while let item = reader.next() {
            guard case .sample = item else { continue }
            let (read, written) = (reader.figures, made.figures[samples])
            samples += 1
            #expect(read[0] == written[0])
            #expect((read[1].high, read[1].max) == (written[1].high, written[1].max))
            #expect(read[1].headroom?.limit == written[1].headroom?.limit)
            // Changes below a thousandth of the limit are not recorded.
            let (used, exact) = (read[1].headroom?.used ?? 0, written[1].headroom?.used ?? 0)
            #expect(max(used, exact) - min(used, exact) <= (read[1].headroom?.limit.bytes ?? 0) / 1024)
        }
        #expect(samples == made.figures.count)
        #expect(reader.ending == .whole)
    }

    @Test("a truncated recording has the same contents up to its end")
    func cut() throws {
        let made = Self.made()
        var lengths: [Int] = []
        for count in made.bytes.indices {
            guard var reader = try? RecordingReader(Array(made.bytes[..<count])) else { continue }
            var items: [RecordingItem] = []
            while let item = reader.next() { items.append(item) }
            guard items.elementsEqual(made.items.prefix(items.count)), reader.ending != nil else {
                Issue.record("cut after \(count) bytes it says something else")
                return
            }
            lengths.append(items.count)
        }
        #expect(lengths == lengths.sorted())
        #expect(try #require(lengths.last) >= made.items.count - 2)
    }

    @Test("a removed scope has no further samples, and the others continue")
    func gone() throws {
        var writer = RecordingWriter(Self.header)
        var now = [RecordedFigures(some: 1), RecordedFigures(high: 2)]
        writer.sample(now, at: 0)
        now[1].isGone = true
        writer.sample(now, at: 500)
        now[1].high = 9
        now[0].some = 7
        writer.sample(now, at: 1000)
        var reader = try RecordingReader(writer.take())
        while reader.next() != nil {}
        #expect(reader.ending == .whole)
        #expect(reader.figures[1].isGone)
        #expect(reader.figures[1].high == 2)
        #expect(reader.figures[0].some == 7)
    }

    @Test("samples without changes cost nothing, and a sample with small changes costs a few bytes")
    func cost() {
        var recording = MadeRecording()
        let start = recording.bytes.count
        recording.add(seconds: 5)
        #expect(recording.bytes.count - start == 1)
        let calm = recording.bytes.count
        recording.add(seconds: 50, some: 0.001)
        #expect(recording.bytes.count - calm <= 100 * 6)
    }

    @Test("a file that is not a recording, or has another version, is refused")
    func refusals() throws {
        func refusal(_ bytes: [UInt8]) -> RecordingReader.Refusal? {
            do throws(RecordingReader.Refusal) {
                _ = try RecordingReader(bytes)
                return nil
            } catch {
                return error
            }
        }
        let bytes = Self.made().bytes
        if case .foreign = refusal(Array("[levels]\nwarning = 10\n".utf8)) {} else { Issue.record("a text is taken") }
        if case .foreign = refusal([]) {} else { Issue.record("nothing is taken") }
        var newer = bytes
        newer[RecordingHeader.magic.count - 1] = 2
        if case .version(2) = refusal(newer) {} else { Issue.record("another version is taken") }
        if case .header = refusal(Array(bytes[..<30])) {} else { Issue.record("half a header is taken") }
    }

    @Test("invalid bytes end a recording with their position, and cost no time or memory")
    func damaged() throws {
        var bytes = MadeRecording().writer.pending
        let good = bytes.count
        // More samples without changes than fit in a year.
        bytes.append(number: UInt64.max >> 1)
        var reader = try RecordingReader(bytes)
        while let item = reader.next() { #expect(item == .sample(at: 0)) }
        guard case .damaged(let offset) = reader.ending else {
            Issue.record("it ends \(String(describing: reader.ending))")
            return
        }
        #expect(offset > good)
        #expect(reader.items.isEmpty, "and it stays so")
    }

    @Test("a recording's text can neither control a terminal nor forge a line")
    func escaped() throws {
        let header = RecordingHeader(
            interval: 500,
            began: 0,
            kernel: "6\u{1b}[2J\n12",
            memoryTotal: 1,
            scopes: [RecordingHeader.Scope(path: "/", rung: .unprivileged, window: 2_000_000, figures: [])]
        )
        let replay = Replay(try RecordingReader(RecordingWriter(header).pending), configuration: Settings())
        let text = ReplayEntry(replay, file: "x", verdict: nil).text
        #expect(text.contains(#"kernel 6\u{1b}[2J\u{a}12"#))
        #expect(!text.contains("\u{1b}"))
    }

    @Test("if a recording is longer, its first 30 days are read")
    func long() throws {
        var bytes = MadeRecording().writer.pending
        // A run this long would last for years.
        bytes.append(number: 1 << 30)
        var reader = try RecordingReader(bytes)
        var last: RecordingItem?
        while let item = reader.next() { last = item }
        #expect(reader.ending == .long)
        guard case .sample(let at) = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect((30 * 86_400_000 - reader.header.interval...30 * 86_400_000).contains(at))
    }
}
