internal import CLinux
internal import MemoryPressure
internal import MemwarnProtocol
internal import ResourceCaches

/// The receiving thread of a run: it sleeps in poll(2), feeds events to the session, and performs the effects that the
/// session returns.
///
/// It needs a thread of its own, outside the concurrency runtime, because it blocks on descriptors. It accesses no
/// state of the host: a packet takes one decoding and one hop to reach the host's isolation.
struct Receiver: ~Copyable {
    /// The configuration of the thread.
    struct Setup: Sendable {
        /// The host's registration.
        var hello: Hello
        /// Where to look for a daemon, in this order.
        var sockets: [String]
        var kernel: KernelTree
        var policy = SensorPolicy()
        /// Whether the process may watch the kernel while there is no daemon.
        var watchesKernel = true
        /// The level that the host had before.
        var level = PressureLevel.normal
        /// How long a raised level is kept while neither a daemon nor the kernel is watched.
        var grace = ClientSession.grace
        /// The bytes that the process could give back, asked at each registration.
        var releasable: @Sendable () -> UInt64 = { 0 }
    }

    private let setup: Setup
    private let session: SharedSession
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)
    /// Reports writes to the limits of the process's cgroups.
    private let limits: LimitWatch
    /// While there is no daemon: the sensor on the kernel's files, and when to read it again.
    private var sensor: PressureSensor?
    private var sample: MonotonicInstant?
    private var requests: [pollfd] = []

    init(_ setup: Setup, _ session: SharedSession) {
        self.setup = setup
        self.session = session
        limits = LimitWatch(MemoryLimit.files(in: setup.kernel))
    }

    deinit {
        buffer.deallocate()
    }

    /// Runs until the session is stopped.
    mutating func run() {
        feed(.time)
        while wait() {}
    }

    /// Feeds an event to the session, and then the results of its effects, until no effect is left.
    private mutating func feed(_ input: ClientSession.Input) {
        perform(session.handle(input))
    }

    private mutating func perform(_ effect: ClientSession.Effect?) {
        var effect = effect
        while let present = effect {
            switch present {
            case .connect(let socket):
                effect = session.handle(connect(to: setup.sockets[socket]))
            case .watchKernel(let level):
                effect = session.handle(watchKernel(at: level))
            default:
                sensor = nil
                return
            }
        }
    }

    private func connect(to path: String) -> ClientSession.Input {
        do throws(KernelError) {
            session.take(try FrameSocket(connectingTo: path))
            return .connected(releasable: setup.releasable())
        } catch {
            return .notConnected(errno: error.errno)
        }
    }

    // MARK: The kernel

    /// Watches the process's own cgroup, or the host if the cgroup cannot be watched.
    private mutating func watchKernel(at level: PressureLevel) -> ClientSession.Input {
        sensor = .ofThisProcess(in: setup.kernel, policy: setup.policy, level: level)
        guard let sensor else { return .kernelNotWatched(errno: ENOENT) }
        rest()
        session.setPressureFile(sensor.place.cgroup?.pressure ?? setup.kernel.hostPressure)
        return .kernelWatched(scope: sensor.place.cgroup?.path ?? "/")
    }

    /// Notes when the sensor has to be read again, counted from now.
    private mutating func rest() {
        sample = sensor?.due
    }

    private mutating func loseKernel(_ errno: CInt) {
        sensor = nil
        feed(.kernelLost(errno: errno))
    }

    private mutating func step(_ body: (PressureSensor) throws(KernelError) -> LevelMachine.Change?) {
        guard let sensor else { return }
        do throws(KernelError) {
            let change = try body(sensor)
            rest()
            guard let change else { return }
            let machine = sensor.machine
            feed(.kernelLevel(machine.level, machine.reason, isRepeat: change.isRepeat))
        } catch {
            loseKernel(error.errno)
        }
    }

    // MARK: Waiting

    /// Sleeps until an event arrives and handles it; returns false when the thread has to end.
    private mutating func wait() -> Bool {
        let (socket, deadline) = session.wait
        // Never ask a PSI file for POLLIN: it is always readable.
        let triggers = sensor?.triggers ?? []
        requests.removeAll(keepingCapacity: true)
        requests.append(pollfd(fd: session.endDescriptor, events: Int16(POLLIN)))
        requests.append(pollfd(fd: socket ?? -1, events: Int16(POLLIN)))
        requests.append(pollfd(fd: limits.descriptor, events: Int16(POLLIN)))
        for trigger in triggers { requests.append(pollfd(fd: trigger.descriptor, events: Int16(POLLPRI))) }
        guard poll(&requests, nfds_t(requests.count), timeout(deadline)) >= 0 || errno == EINTR else {
            session.fail(KernelError("wait for events of", setup.hello.name, errno: errno))
            return false
        }

        if requests[0].revents != 0 { return false }
        // One packet: if there are more, poll returns at once.
        if requests[1].revents != 0 { perform(session.receive(into: buffer)) }
        if requests[2].revents != 0 {
            limits.drain()
            session.noteLimits()
        }
        for (trigger, request) in zip(triggers, requests.dropFirst(3)) where request.revents != 0 {
            // ERR comes together with PRI, and at every later poll too.
            if trigger.trigger != .limits, request.revents & Int16(POLLERR | POLLNVAL) != 0 {
                if sensor != nil { loseKernel(ENODEV) }
                break
            }
            step { sensor throws(KernelError) in try sensor.event(trigger.trigger) }
        }
        if let sample, MonotonicInstant.now >= sample {
            step { sensor throws(KernelError) in try sensor.tick() }
        }
        if let deadline, MonotonicInstant.now >= deadline { feed(.time) }
        return true
    }

    /// The time until the session's deadline or the sensor's, in milliseconds for poll(2).
    private func timeout(_ deadline: MonotonicInstant?) -> CInt {
        let sample = sensor == nil ? nil : sample
        guard let due = [deadline, sample].compactMap(\.self).min() else { return -1 }
        // Rounded up, so that the deadline has passed when poll returns.
        return CInt(clamping: MonotonicInstant.now.duration(to: due).milliseconds + 1)
    }
}
