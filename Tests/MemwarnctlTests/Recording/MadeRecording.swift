import MemoryPressure
import WarningPolicy

@testable import memwarnctl

/// A recording of one cgroup that a test composes sample by sample.
struct MadeRecording {
    static let path = "/a.slice"
    static let limit: UInt64 = 1 << 30

    private(set) var writer: RecordingWriter
    private var figures = RecordedFigures()
    private(set) var time: UInt64 = 0
    private let interval: UInt64

    init(
        rung: Rung = .unprivileged,
        interval: UInt64 = 500,
        figures: RecordingHeader.Figures = [.stalls],
        left: Double? = nil
    ) {
        let scope = RecordingHeader.Scope(path: Self.path, rung: rung, window: 2_000_000, figures: figures)
        let header = RecordingHeader(
            interval: interval,
            began: 1_700_000_000,
            kernel: "6.12.0",
            memoryTotal: 16 << 30,
            scopes: [scope]
        )
        self.interval = interval
        writer = RecordingWriter(header)
        if let left { set(left: left) }
        sample()
    }

    /// Adds a number of seconds in which tasks stall for this share of the time.
    mutating func add(
        seconds: Double,
        some: Double = 0,
        full: Double = 0,
        left: Double? = nil,
        reclaims: Bool = false
    ) {
        for _ in 0..<Int(seconds * 1000) / Int(interval) {
            time += interval
            figures.some += UInt64(Double(interval) * 1000 * some)
            figures.full += UInt64(Double(interval) * 1000 * full)
            if reclaims { figures.scanned += 100 }
            if let left { set(left: left) }
            sample()
        }
    }

    private mutating func set(left: Double) {
        let used = UInt64(Double(Self.limit) * (1 - left))
        figures.headroom = Headroom(limit: BindingLimit(.max, bytes: Self.limit, path: Self.path), used: used)
    }

    /// Adds hits of the cgroup's limits to the next sample.
    mutating func hit(high: UInt64 = 0, max: UInt64 = 0) {
        figures.high += high
        figures.max += max
    }

    mutating func mark(isStart: Bool) { writer.mark(isStart: isStart, at: time) }

    mutating func event(_ trigger: PressureSensor.Trigger) { writer.event(scope: 0, trigger, at: time) }

    private mutating func sample() { writer.sample([figures], at: time) }

    /// The recording so far.
    var bytes: [UInt8] {
        var writer = writer
        return writer.take()
    }

    /// Replays the recording.
    func replay(_ configuration: Settings = Settings(), hosts: Int = 0) throws -> Replay {
        Replay(try RecordingReader(bytes), configuration: configuration, hosts: hosts)
    }
}

extension RecordingReader {
    /// All remaining items.
    var items: [RecordingItem] {
        var reader = self
        var items: [RecordingItem] = []
        while let item = reader.next() { items.append(item) }
        return items
    }
}
