internal import CLinux
internal import MemoryPressure
internal import MemwarnProtocol
internal import ResourceCaches

/// What the receiving thread does: read warnings from the daemon, or derive them from the kernel until it is back.
struct Receiver: ~Copyable {
    private let feed: PressureFeed
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)
    private var backoff = Backoff()
    private var generator = SystemRandomNumberGenerator()
    /// Counts connections, so that no answer goes to another one than its warning came from.
    private var number: UInt64 = 0
    private var origin: PressureOrigin?
    /// The level the host was told last.
    private var held: HeldLevel
    /// While there is no daemon: the kernel, and when to look for the daemon again.
    private var sensor: PressureSensor?
    private var scope = "/"
    private var reconnect = MonotonicInstant.now
    private var sample: MonotonicInstant?

    /// Says when a limit of the process's cgroups is written.
    private let limits: LimitWatch

    init(_ feed: PressureFeed) {
        self.feed = feed
        held = HeldLevel(feed.setup.level, grace: feed.setup.grace)
        limits = LimitWatch(MemoryLimit.files(in: feed.setup.kernel))
    }

    deinit {
        feed.set(nil)
        buffer.deallocate()
    }

    /// Runs until the feed is stopped.
    mutating func run() {
        while true {
            if feed.socketDescriptor == nil, MonotonicInstant.now >= reconnect { connect() }
            endUnwatchedLevel()
            guard wait() else { return }
        }
    }

    // MARK: The daemon

    private mutating func connect() {
        for path in feed.setup.sockets {
            guard let socket = try? FrameSocket(connectingTo: path) else { continue }
            let hello = Hello(
                priority: feed.setup.priority,
                releasable: feed.setup.releasable(),
                name: feed.setup.name,
                accepts: .commands,
                allocator: HostAllocator(Allocator.current.kind)
            )
            guard (try? socket.send(Frame(sequence: 0, message: .hello(hello)))) == .sent else { continue }
            number += 1
            feed.set(PressureFeed.Connection(socket: socket, number: number))
            pending = (.daemon(socket: path), .now.advanced(by: Self.patience))
            return
        }
        postpone()
        watchKernel()
    }

    /// How long a daemon may take to say welcome before the kernel is watched meanwhile: it may hang.
    private static let patience = Duration.seconds(1)
    /// The daemon a hello was sent to, which counts once it has said welcome, and when it should have.
    private var pending: (origin: PressureOrigin, due: MonotonicInstant)?

    private mutating func postpone() {
        reconnect = .now.advanced(by: backoff.next(using: &generator))
    }

    private mutating func disconnect() {
        feed.set(nil)
        pending = nil
        postpone()
        watchKernel()
    }

    private mutating func receive() {
        // All that is there: only the newest warning counts.
        while feed.socketDescriptor != nil {
            switch feed.receive(into: buffer) {
            case .empty: return
            case .oversized, .closed: disconnect()
            case .packet(let size):
                do throws(FrameError) {
                    take(try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])))
                } catch {
                    disconnect()
                }
            }
        }
    }

    private mutating func take(_ frame: Frame) {
        switch frame.message {
        case .welcome(let welcome):
            backoff.reset()
            sensor = nil
            if let pending { announce(pending.origin) }
            pending = nil
            // What holds now: a rise the host has slept through, or the end of what it was told before.
            let warning = MemoryWarning(
                level: welcome.level,
                scope: welcome.scope,
                reason: welcome.reason,
                isSimulated: false
            )
            if welcome.level != held.level { deliver(warning) }
        case .warning(let warning):
            let delivered = MemoryWarning(
                level: warning.level,
                scope: warning.scope,
                reason: warning.reason,
                bytesWanted: warning.bytesWanted,
                isSimulated: warning.options.contains(.simulated),
                isRepeat: warning.options.contains(.repeated),
                round: frame.sequence
            )
            deliver(delivered, answerTo: warning.options.contains(.answerWanted) ? number : nil)
        case .command(let request):
            let command = Command(request.name, argument: request.argument)
            let errand = Mailbox.Errand(command: command, sequence: frame.sequence, answerTo: number)
            guard !feed.mailbox.put(.command(errand)) else { break }
            feed.answer(frame.sequence, on: number, .outcome(CommandOutcome.failed("busy").reply))
        case .error:
            disconnect()
        default:
            // What a later daemon may say besides.
            break
        }
    }

    private mutating func deliver(_ warning: MemoryWarning, answerTo connection: UInt64? = nil) {
        if !warning.isSimulated { held.tell(warning.level) }
        feed.mailbox.put(.warning(Mailbox.Delivery(warning: warning, answerTo: connection)))
    }

    private mutating func announce(_ origin: PressureOrigin) {
        guard origin != self.origin else { return }
        self.origin = origin
        feed.mailbox.put(.origin(origin))
    }

    // MARK: The kernel

    /// Watches the own cgroup, or the host where that cannot be watched, until the daemon is back.
    private mutating func watchKernel() {
        guard sensor == nil else { return }
        guard feed.setup.watchesKernel else { return announce(.none) }
        let kernel = feed.setup.kernel
        sensor = .ofThisProcess(in: kernel, policy: feed.setup.policy, level: held.level)
        guard let sensor else { return announce(.none) }
        scope = sensor.place.cgroup?.path ?? "/"
        rest()
        announce(.kernel(path: sensor.place.cgroup?.pressure ?? kernel.hostPressure))
    }

    /// Says that pressure is over if nothing could say so any more.
    private mutating func endUnwatchedLevel() {
        let hasDaemon = feed.socketDescriptor != nil && pending == nil
        guard held.hasToFall(isWatched: hasDaemon || sensor != nil, at: .now) else { return }
        deliver(MemoryWarning(level: .normal, scope: scope, reason: PressureReason(.unknown), isSimulated: false))
    }

    /// Notes when the sensor is to look again, counted from now.
    private mutating func rest() {
        sample = sensor?.pause.map { MonotonicInstant.now.advanced(by: $0) }
    }

    private mutating func step(_ body: (PressureSensor) throws(KernelError) -> LevelMachine.Change?) {
        guard let sensor else { return }
        do throws(KernelError) {
            let change = try body(sensor)
            rest()
            guard let change else { return }
            deliver(
                MemoryWarning(
                    level: sensor.machine.level,
                    scope: scope,
                    reason: sensor.machine.reason,
                    isSimulated: false,
                    isRepeat: change == .persists
                )
            )
        } catch {
            // The cgroup is gone, and the process lives in another one by now.
            self.sensor = nil
            watchKernel()
        }
    }

    // MARK: Waiting

    /// Sleeps until something happens and sees to it; false once the feed is stopped.
    private mutating func wait() -> Bool {
        var requests = [pollfd(fd: feed.wakeDescriptor, events: Int16(POLLIN))]
        let socket = feed.socketDescriptor
        requests.append(pollfd(fd: socket ?? -1, events: Int16(POLLIN)))
        requests.append(pollfd(fd: limits.descriptor, events: Int16(POLLIN)))
        // Never ask a PSI file for POLLIN: it is always readable.
        let triggers = sensor?.triggers ?? []
        for trigger in triggers { requests.append(pollfd(fd: trigger.descriptor, events: Int16(POLLPRI))) }

        var deadlines: [MonotonicInstant] = []
        if socket == nil { deadlines.append(reconnect) }
        if let pending { deadlines.append(pending.due) }
        if let end = held.end { deadlines.append(end) }
        if sensor != nil, let sample { deadlines.append(sample) }
        var timeout: CInt = -1
        if let deadline = deadlines.min() {
            // Rounded up, so that it has passed when poll returns.
            timeout = CInt(clamping: MonotonicInstant.now.duration(to: deadline).milliseconds + 1)
        }
        guard poll(&requests, nfds_t(requests.count), timeout) >= 0 || errno == EINTR else { return false }

        if requests[0].revents != 0 { return false }
        if requests[1].revents != 0 { receive() }
        if requests[2].revents != 0 {
            limits.drain()
            feed.mailbox.put(.limits)
        }
        for (trigger, request) in zip(triggers, requests.dropFirst(3)) where request.revents != 0 {
            // ERR comes together with PRI, and at every poll from then on.
            if trigger.trigger != .limits, request.revents & Int16(POLLERR | POLLNVAL) != 0 {
                sensor = nil
                watchKernel()
                break
            }
            step { sensor throws(KernelError) in try sensor.event(trigger.trigger) }
        }
        if let pending, MonotonicInstant.now >= pending.due {
            // Once: where there is no kernel to watch either, there is nothing more to try.
            self.pending?.due = MonotonicInstant(nanoseconds: .max)
            watchKernel()
        }
        if sensor != nil, let sample, MonotonicInstant.now >= sample {
            step { sensor throws(KernelError) in try sensor.tick() }
        }
        return true
    }
}

extension HostAllocator {
    fileprivate init(_ kind: Allocator.Kind) {
        self =
            switch kind {
            case .other: .other
            case .glibc: .glibc
            case .jemalloc: .jemalloc
            case .mimalloc: .mimalloc
            case .tcmalloc: .tcmalloc
            }
    }
}
