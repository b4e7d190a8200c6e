internal import CLinux
internal import MemoryPressure

/// Passes the kernel's memory pressure to the caches of a process in which no host runs.
///
/// A thread sleeps in poll(2) until a trigger of the process's cgroup fires, or of the whole host if the cgroup cannot
/// be watched. It has the same sensor as a host without a daemon, and follows the same rules. While a host runs it only
/// waits for the end of that.
///
/// At rest there are no timers and no wake-ups if the kernel accepts triggers and more than half of the memory is left.
/// If it accepts none, the thread reads a file every 2 s.
package final class PressureWatch: Sendable {
    /// The watch for the caches of the process.
    package static let shared = PressureWatch(.shared)

    private struct State {
        /// The write end of the pipe that wakes the thread; `nil` until there is a thread.
        var waker: CInt?
    }

    private let state = Guarded(State())
    private let reclaimer: Reclaimer
    private let kernel: KernelTree
    private let isAllowed: Bool

    /// Creates a watch that has not started.
    ///
    /// - Parameters:
    ///   - reclaimer: The receiver of the warnings.
    ///   - kernel: The kernel's files.
    ///   - isAllowed: Whether it may start. It may not if `$MEMORY_PRESSURE_WATCH` is `/dev/null`, with which systemd
    ///     tells a service not to watch.
    init(
        _ reclaimer: Reclaimer,
        kernel: KernelTree = .live,
        isAllowed: Bool = getenv("MEMORY_PRESSURE_WATCH").map { String(cString: $0) } != "/dev/null"
    ) {
        self.reclaimer = reclaimer
        self.kernel = kernel
        self.isAllowed = isAllowed
    }

    /// Starts the thread, unless there is one; does nothing if the process may not watch, or has no thread or
    /// descriptor left.
    package func start() {
        guard isAllowed else { return }
        let isNew = state.withLock { state in
            guard state.waker == nil else { return false }
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { return false }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                // If the pipe has no room, a wake-up is pending already.
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            let wake = ends[0]
            // On this thread the caches shrink, and call destructors and handlers of the service.
            guard startDetachedThread({ self.run(wake) }) == 0 else {
                for end in ends { close(end) }
                return false
            }
            state.waker = ends[1]
            return true
        }
        if isNew { reclaimer.onHostChange { [self] in wake() } }
    }

    /// Makes the thread check again whether a host runs.
    private func wake() {
        if let waker = state.withLock({ $0.waker }) { _ = write(waker, [0], 1) }
    }

    private func run(_ wake: CInt) {
        var turn = Turn(reclaimer, kernel)
        while true {
            turn.begin()
            turn.wait(wake)
        }
    }
}

/// The state of the thread between waits.
private struct Turn {
    private let reclaimer: Reclaimer
    private let kernel: KernelTree
    private var sensor: PressureSensor?
    /// When the sensor reads again.
    private var due: MonotonicInstant?
    private var relay: WarningRelay

    init(_ reclaimer: Reclaimer, _ kernel: KernelTree) {
        self.reclaimer = reclaimer
        self.kernel = kernel
        relay = WarningRelay(reclaimer)
    }

    /// Watches the kernel unless a host runs.
    mutating func begin() {
        if reclaimer.hasRunningHost {
            (sensor, due) = (nil, nil)
            relay.end()
        } else if sensor == nil {
            sensor = .ofThisProcess(in: kernel, level: relay.level)
            // Nothing would report the end of pressure.
            if sensor == nil { relay.end() }
            rest()
        }
    }

    private mutating func rest() {
        due = sensor?.due
    }

    /// Sleeps until an event or a deadline, and handles it.
    mutating func wait(_ wake: CInt) {
        let triggers = sensor?.triggers ?? []
        // Never poll a PSI file for POLLIN: it is always readable.
        var requests = [pollfd(fd: wake, events: Int16(POLLIN))]
        for trigger in triggers { requests.append(pollfd(fd: trigger.descriptor, events: Int16(POLLPRI))) }
        // Rounded up, so that it is due when poll returns.
        let timeout = due.map { CInt(clamping: MonotonicInstant.now.duration(to: $0).milliseconds + 1) }
        guard poll(&requests, nfds_t(requests.count), timeout ?? -1) >= 0 else { return }
        if requests[0].revents != 0 {
            var bytes: [UInt8] = Array(repeating: 0, count: 64)
            while read(wake, &bytes, bytes.count) > 0 {}
            // A host may run now; it begins with its own readings of the kernel.
            return
        }
        for (trigger, request) in zip(triggers, requests.dropFirst()) where request.revents != 0 {
            // POLLERR comes together with POLLPRI, and at every poll from then on: the cgroup is gone.
            if trigger.trigger != .limits, request.revents & Int16(POLLERR | POLLNVAL) != 0 {
                sensor = nil
                return
            }
            step { sensor throws(KernelError) in try sensor.event(trigger.trigger) }
        }
        if let due, MonotonicInstant.now >= due { step { sensor throws(KernelError) in try sensor.tick() } }
    }

    private mutating func step(_ body: (PressureSensor) throws(KernelError) -> LevelMachine.Change?) {
        guard let sensor else { return }
        do throws(KernelError) {
            let change = try body(sensor)
            rest()
            if change != nil { relay.pass(on: sensor.machine.level) }
        } catch {
            // The cgroup is gone, and the process now lives in another.
            self.sensor = nil
        }
    }
}

/// Passes levels to the process's caches like a host.
///
/// It is a host only while a level is raised: at other times it must not be the host that reports the releasable bytes
/// of the caches.
struct WarningRelay {
    private let reclaimer: Reclaimer
    private var host: ReclaimingHost?
    /// The last passed level.
    private(set) var level = PressureLevel.normal

    init(_ reclaimer: Reclaimer) {
        self.reclaimer = reclaimer
    }

    /// Makes the caches give back the bytes for a level, or grow again; blocks for as long as their destructors take.
    mutating func pass(on level: PressureLevel) {
        self.level = level
        guard level > .normal else { return end() }
        let host = host ?? ReclaimingHost(reclaimer)
        self.host = host
        _ = host.reclaim(for: ReclaimRequest(level: level, isSimulated: false), alreadyReleased: 0)
        host.settle(at: level)
    }

    /// Ends the watch: pressure is over, unless a host reports it.
    mutating func end() {
        host?.settle(at: .normal)
        host = nil
        level = .normal
    }
}
