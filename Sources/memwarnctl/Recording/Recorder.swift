import CLinux
import MemoryPressure
import Systemd

/// Samples scopes on a loop, and writes the figures to a recording until it is told to stop.
final class Recorder {
    /// Why the recording failed; `nil` if it ended on request.
    private(set) var failure: KernelError?
    /// The number of marked storms.
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

    /// The maximum time that is lost when the recorder is killed.
    private static let flushInterval = Duration.seconds(5)

    /// Begins with the first sample.
    init(_ scopes: [SensorFiles], header: RecordingHeader, file: consuming RecordingFile, loop: EventLoop) throws {
        self.loop = loop
        self.scopes = scopes
        self.file = file
        interval = .milliseconds(Int64(header.interval))
        figures = scopes.map { _ in RecordedFigures() }
        writer = RecordingWriter(header)
        // A delay is acceptable: the sample contains its time.
        timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in sample() }
        for (index, scope) in scopes.enumerated() {
            for (trigger, descriptor) in scope.descriptors {
                let source = try loop.watch(descriptor, for: .priority) { [unowned self] ready in
                    triggered(trigger, of: index, ready)
                }
                triggers.append((index, source))
            }
        }
        // The setup of the triggers in the kernel takes a while.
        began = .now
        sample(at: began)
        flush()
    }

    deinit {
        // This precedes the closing of the files.
        triggers = []
    }

    /// The numbers of samples and bytes.
    var size: (samples: UInt64, bytes: UInt64) { (writer.samples, file.size) }

    /// Marks the beginning or end of a storm; does nothing if it is marked already.
    func mark(isStart: Bool) {
        guard isStart != isStorm else { return }
        isStorm = isStart
        if isStart { storms += 1 }
        writer.mark(isStart: isStart, at: elapsed)
        flush()
    }

    /// Records until the time is over, or SIGINT or SIGTERM comes; SIGUSR1 and SIGUSR2 mark storms.
    ///
    /// If writing fails it ends early, and ``failure`` has the reason.
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

    /// The time is that before the reading, which takes a while if memory is short.
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
        // Errors of the other files do not mean that the cgroup is gone.
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
        // Limits may be reached a hundred times a second, and the descriptor stays ready until they are read.
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
