import CLinux
import MemoryPressure
import Systemd

/// Samples scopes on a loop, and writes what it sees to a recording until it is told to stop.
final class Recorder {
    /// Why the recording ended, if not because somebody wanted it to.
    private(set) var failure: KernelError?
    /// How many storms were marked.
    private(set) var storms = 0

    private let loop: EventLoop
    private let interval: Duration
    private let scopes: [SensorFiles]
    private var figures: [RecordedFigures]
    private var writer: RecordingWriter
    private var file: RecordingFile
    private var began = MonotonicInstant.now
    private var flushed = MonotonicInstant.now
    private var isStorm = false
    private var triggers: [(scope: Int, source: IOSource)] = []
    private var timer: TimerSource?

    /// The most that is lost when the recorder is killed.
    private static let flushInterval = Duration.seconds(5)

    /// Begins with the first sample.
    init(_ scopes: [SensorFiles], header: RecordingHeader, file: consuming RecordingFile, loop: EventLoop) throws {
        self.loop = loop
        self.scopes = scopes
        self.file = file
        interval = .milliseconds(Int64(header.interval))
        figures = scopes.map { _ in RecordedFigures() }
        writer = RecordingWriter(header)
        // Late is all right: the sample says when it was taken.
        timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in sample() }
        for (index, scope) in scopes.enumerated() {
            for (trigger, descriptor) in scope.descriptors {
                let source = try loop.watch(descriptor, for: .priority) { [unowned self] ready in
                    triggered(trigger, of: index, ready)
                }
                triggers.append((index, source))
            }
        }
        // The kernel has taken its time to set the triggers up.
        began = .now
        sample(at: began)
        flush()
    }

    deinit {
        // Before the files are closed.
        triggers = []
    }

    /// How many samples and bytes there are.
    var size: (samples: UInt64, bytes: UInt64) { (writer.samples, file.size) }

    /// Notes that a storm begins or ends; says nothing new where that is known.
    func mark(isStart: Bool) {
        guard isStart != isStorm else { return }
        isStorm = isStart
        if isStart { storms += 1 }
        writer.mark(isStart: isStart, at: elapsed)
        flush()
    }

    /// Records until the time is over, or SIGINT or SIGTERM comes; SIGUSR1 and SIGUSR2 mark storms.
    ///
    /// Where writing fails it ends early, and ``failure`` says why.
    func run(for length: Duration?) throws(SystemdError) {
        let signals = [
            try loop.signal(SIGINT) { [unowned self] in loop.exit(code: 0) },
            try loop.signal(SIGTERM) { [unowned self] in loop.exit(code: 0) },
            try loop.signal(SIGUSR1) { [unowned self] in mark(isStart: true) },
            try loop.signal(SIGUSR2) { [unowned self] in mark(isStart: false) },
        ]
        let end = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in loop.exit(code: 0) }
        if let length { end.arm(after: length) }
        _ = try loop.run()
        sample()
        flush()
        withExtendedLifetime((signals, end)) {}
    }

    private var elapsed: UInt64 { began.duration(to: .now).milliseconds }

    /// The time is that before the reading, which takes its own where memory is short.
    private func sample(at now: MonotonicInstant = .now) {
        for index in scopes.indices where !figures[index].isGone { look(at: index) }
        writer.sample(figures, at: began.duration(to: now).milliseconds)
        // The next point of a grid, so that delays do not add up; the loop's time is when it last woke up.
        let passed = began.duration(to: .now).nanoseconds / interval.nanoseconds
        let next = began.advanced(by: interval * Int(passed + 1))
        timer?.arm(after: .nanoseconds(Int64(clamping: next.nanoseconds)) - loop.now)
        for (scope, source) in triggers where !figures[scope].isGone { try? source.enable() }
        if flushed.duration(to: .now) >= Self.flushInterval { flush() }
    }

    private func look(at index: Int) {
        let scope = scopes[index]
        do throws(KernelError) {
            let readings = try scope.read([.stalls, .limitEvents])
            if let stalls = readings.stalls {
                figures[index].some = stalls.total(.some)
                figures[index].full = stalls.total(.full)
            }
            if let events = readings.limitEvents {
                figures[index].high = events.high
                figures[index].max = events.max
            }
        } catch {
            figures[index].isGone = true
            disable(index)
        }
        // What else a cgroup has cannot fail so.
        let rest = try? scope.read([.headroom, .reclaim])
        figures[index].headroom = rest?.headroom
        if let reclaim = rest?.reclaim {
            figures[index].scanned = reclaim.scanned
            figures[index].refaulted = reclaim.refaulted
        }
    }

    private func triggered(_ trigger: PressureSensor.Trigger, of index: Int, _ ready: IOEvents) {
        if trigger != .limits, ready.contains(.error) { return disable(index) }
        writer.event(scope: index, trigger, at: elapsed)
        guard trigger == .limits else { return }
        // Limits may be met a hundred times a second, and until they are read the descriptor stays ready.
        disable(index, trigger)
    }

    private func disable(_ index: Int, _ trigger: PressureSensor.Trigger? = nil) {
        let descriptors = scopes[index].descriptors.filter { trigger == nil || $0.trigger == trigger }.map(\.descriptor)
        for (_, source) in triggers where descriptors.contains(source.fd) { source.disable() }
    }

    private func flush() {
        flushed = .now
        do throws(KernelError) {
            try file.append(writer.take())
        } catch {
            failure = error
            loop.exit(code: 0)
        }
    }
}
