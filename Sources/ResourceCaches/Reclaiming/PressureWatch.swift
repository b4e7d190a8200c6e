internal import CLinux
internal import MemoryPressure

/// Passes the kernel's memory pressure on to the caches of a process in which no host runs.
///
/// A thread sleeps in poll(2) until a trigger of the process's cgroup fires, or of the whole host where the cgroup cannot
/// be watched. It has the same sensor as a host without a daemon, and follows the same rules. While a host runs it only
/// waits for that to end.
///
/// At rest there is no timer and no wake-up where the kernel takes triggers and more than half of the memory is left. Where it
/// takes none, the thread reads a file each 2 s.
package final class PressureWatch: Sendable {
    /// That of the process's own caches.
    package static let shared = PressureWatch(.shared)

    private struct State {
        /// The writing end of the pipe that wakes the thread; `nil` before there is a thread.
        var waker: CInt?
    }

    private let state = Guarded(State())
    private let reclaimer: Reclaimer
    private let kernel: KernelTree
    private let isAllowed: Bool

    /// A watch that has not started.
    ///
    /// - Parameters:
    ///   - reclaimer: What it passes warnings on to.
    ///   - kernel: Where the kernel's files are.
    ///   - isAllowed: Whether it may start. Not where `$MEMORY_PRESSURE_WATCH` is `/dev/null`, by which systemd tells a
    ///     service not to watch.
    init(
        _ reclaimer: Reclaimer,
        kernel: KernelTree = .live,
        isAllowed: Bool = getenv("MEMORY_PRESSURE_WATCH").map { String(cString: $0) } != "/dev/null"
    ) {
        self.reclaimer = reclaimer
        self.kernel = kernel
        self.isAllowed = isAllowed
    }

    /// Starts the thread, unless there is one; does nothing if the process may not watch, or has no thread or descriptor
    /// left for it.
    package func start() {
        guard isAllowed else { return }
        let isNew = state.withLock { state in
            guard state.waker == nil else { return false }
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { return false }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                // A wake-up that the pipe has no room for is there already.
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            let wake = ends[0]
            // As much as the thread of a host has.
            guard startDetachedThread(stackSize: 256 * 1024, { self.run(wake) }) == 0 else {
                for end in ends { close(end) }
                return false
            }
            state.waker = ends[1]
            return true
        }
        if isNew { reclaimer.onHostChange { [self] in wake() } }
    }

    /// Has the thread ask again whether a host runs.
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

/// What the thread has from one wait to the next.
private struct Turn {
    private let reclaimer: Reclaimer
    private let kernel: KernelTree
    private var sensor: PressureSensor?
    /// When the sensor is to look again.
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
            // Nothing would say that pressure is over.
            if sensor == nil { relay.end() }
            rest()
        }
    }

    private mutating func rest() {
        due = sensor?.due
    }

    /// Sleeps until something happens, and sees to it.
    mutating func wait(_ wake: CInt) {
        let triggers = sensor?.triggers ?? []
        // Never ask a PSI file for POLLIN: it is always readable.
        var requests = [pollfd(fd: wake, events: Int16(POLLIN))]
        for trigger in triggers { requests.append(pollfd(fd: trigger.descriptor, events: Int16(POLLPRI))) }
        // Rounded up, so that it is due when poll returns.
        let timeout = due.map { CInt(clamping: MonotonicInstant.now.duration(to: $0).milliseconds + 1) }
        guard poll(&requests, nfds_t(requests.count), timeout ?? -1) >= 0 else { return }
        if requests[0].revents != 0 {
            var bytes: [UInt8] = Array(repeating: 0, count: 64)
            while read(wake, &bytes, bytes.count) > 0 {}
            // A host may run now, which begins with its own view of the kernel.
            return
        }
        for (trigger, request) in zip(triggers, requests.dropFirst()) where request.revents != 0 {
            // ERR comes together with PRI, and at every poll from then on: the cgroup is gone.
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
            // The cgroup is gone, and the process lives in another one by now.
            self.sensor = nil
        }
    }
}

/// Passes levels on to the process's caches as a host would.
///
/// It is a host only while a level is raised: at other times it is not to be the one that says what the caches could give.
struct WarningRelay {
    private let reclaimer: Reclaimer
    private var host: ReclaimingHost?
    /// What was passed on last.
    private(set) var level = PressureLevel.normal

    init(_ reclaimer: Reclaimer) {
        self.reclaimer = reclaimer
    }

    /// Has the caches give back what a level asks for, or grow again; blocks for as long as their destructors take.
    mutating func pass(on level: PressureLevel) {
        self.level = level
        guard level > .normal else { return end() }
        let host = host ?? ReclaimingHost(reclaimer)
        self.host = host
        _ = host.reclaim(for: ReclaimRequest(level: level, isSimulated: false), alreadyReleased: 0)
        host.settle(at: level)
    }

    /// Nothing is watched any more: pressure is over, unless a host says otherwise.
    mutating func end() {
        host?.settle(at: .normal)
        host = nil
        level = .normal
    }
}
