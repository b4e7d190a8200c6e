internal import CLinux
internal import MemoryPressure
internal import MemwarnProtocol
internal import ResourceCaches

/// A run's session with the daemon, and the state that two threads share: the connection, and the host that waits for
/// news.
///
/// The receiving thread (``Receiver``) feeds events to it, and the host's isolation takes the news and answers. Each
/// holds the one lock once per event. A warning for a waiting host goes directly from the packet to the host's
/// continuation.
final class SharedSession: Sendable {
    /// One piece of news for the host.
    enum News: Sendable {
        /// The origin of warnings changed.
        case origin(PressureOrigin)
        /// A warning arrived.
        case warning(MemoryWarning, isAnswered: Bool)
        /// A limit of the process's memory was written.
        case limits
        /// Background work of controllers has ended.
        case loads
        /// A command arrived.
        case command(Command)
    }

    fileprivate struct State: ~Copyable {
        var session: ClientSession
        /// The addresses where the daemon may listen, by the index that the session uses.
        let sockets: [String]
        var socket: FrameSocket?
        /// The file that is watched while there is no daemon.
        var pressureFile = ""
        var hasLimits = false
        var hasLoads = false
        var isStopped = false
        /// Why it has stopped by itself.
        var failure: KernelError?
        /// The host's continuation while it waits.
        var host: CheckedContinuation<News?, Never>?
        var effects: [ClientSession.Effect] = []
    }

    /// Open for the whole session, so that no file has to be opened between a warning and its handlers.
    let residentSet = ResidentSetFile()
    private let state: Guarded<State>
    /// Becomes readable when the receiving thread is to end.
    private let end: Descriptor

    /// A session that no thread receives for yet; ``start(_:)`` starts it.
    ///
    /// - Throws: ``KernelError`` if there are no descriptors left.
    init(_ setup: Receiver.Setup) throws(KernelError) {
        let raw = eventfd(0, CInt(EFD_CLOEXEC))
        guard raw >= 0 else { throw KernelError("make an event descriptor for", setup.hello.name, errno: errno) }
        end = Descriptor(taking: raw)
        let session = ClientSession(
            setup.hello,
            sockets: setup.sockets.count,
            watchesKernel: setup.watchesKernel,
            level: setup.level,
            grace: setup.grace,
            seed: .random(in: .min ... .max)
        )
        state = Guarded(State(session: session, sockets: setup.sockets))
        // The kernel allocates the buffer for it at the first read.
        _ = residentSet.bytes
    }

    /// Starts the receiving thread, which keeps the session alive until ``stop()``.
    ///
    /// - Throws: ``KernelError`` if the process may not have another thread.
    func start(_ setup: Receiver.Setup) throws(KernelError) {
        let result = startDetachedThread {
            var receiver = Receiver(setup, self)
            receiver.run()
            // Before its files are closed, which takes the kernel some milliseconds.
            self.finish()
        }
        guard result == 0 else { throw KernelError("start a thread for", setup.hello.name, errno: result) }
    }

    /// Ends the thread, which closes the connection and ends the host's wait as soon as its present step is done.
    ///
    /// The cancelling thread does not resume the host: it holds a lock of the task meanwhile, and the host may continue
    /// on the thread that resumes it (``DirectHandover``).
    func stop() {
        state.withLock { $0.isStopped = true }
        eventfd_write(end.raw, 1)
    }

    /// Stops because the thread cannot wait for events any more.
    func fail(_ error: KernelError) {
        state.withLock { $0.failure = error }
        stop()
    }

    /// Why it has stopped by itself; `nil` if ``stop()`` was called.
    var failure: KernelError? { state.withLock { $0.failure } }

    /// Closes the connection and ends the host's wait, once the thread receives no more.
    private func finish() {
        let host = state.withLock { state in
            state.isStopped = true
            state.socket = nil
            return state.host.take()
        }
        host?.resume(returning: nil)
    }

    // MARK: The host

    /// Takes the next piece of news, waiting for it; `nil` once the session is stopped.
    nonisolated(nonsending) func next() async -> News? {
        await withCheckedContinuation { continuation in
            let ready: News?? = state.withLock { state in
                if state.isStopped { return .some(nil) }
                if let news = state.takeNews() { return news }
                state.host = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Answers the warning that the host took last.
    func answer(_ acknowledgement: Acknowledgement) {
        _ = state.withLock { $0.handle(.acknowledged(acknowledgement)) }
    }

    /// Answers the command that the host took last.
    func answer(_ reply: CommandReply) {
        _ = state.withLock { $0.handle(.performed(reply)) }
    }

    /// Tells the host that background work has ended.
    func noteLoads() {
        tellHost { $0.hasLoads = true }
    }

    /// Tells the host that a limit was written.
    func noteLimits() {
        tellHost { $0.hasLimits = true }
    }

    // MARK: The receiving thread

    /// Readable when the thread is to end.
    var endDescriptor: CInt { end.raw }

    /// The descriptor and the deadline to wait for: those of the connection, if there is one, and of the session.
    var wait: (descriptor: CInt?, deadline: MonotonicInstant?) {
        state.withLock { ($0.socket?.fileDescriptor, $0.session.deadline) }
    }

    /// Feeds an event to the session; returns the effect that the receiving thread has to perform, if there is one.
    func handle(_ input: ClientSession.Input) -> ClientSession.Effect? {
        tellHost { $0.handle(input) }
    }

    /// Takes one packet from the connection and feeds it to the session, as ``handle(_:)`` does.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> ClientSession.Effect? {
        tellHost { state in
            switch state.socket?.receive(into: buffer) ?? .empty {
            case .empty: nil
            case .packet(let size): state.handle(.packet(UnsafeRawBufferPointer(rebasing: buffer[..<size])))
            case .oversized(let size): state.handle(.oversized(size))
            case .closed: state.handle(.closed)
            }
        }
    }

    /// Takes over a connection that the session has asked for.
    func take(_ socket: consuming FrameSocket) {
        var socket: FrameSocket? = socket
        state.withLock { $0.socket = socket.take() }
    }

    /// Notes which file is watched, for the origin that the session will report.
    func setPressureFile(_ path: String) {
        state.withLock { $0.pressureFile = path }
    }

    /// Changes the state, and resumes the host with the next news if it waits.
    private func tellHost<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, host, news): (Result, CheckedContinuation<News?, Never>?, News?) = state.withLock { state in
            let result = change(&state)
            guard !state.isStopped, state.host != nil, let news = state.takeNews() else { return (result, nil, nil) }
            return (result, state.host.take(), news)
        }
        host?.resume(returning: news)
        return result
    }
}

extension SharedSession.State {
    /// Feeds an event to the session and performs the effects on the connection; returns the remaining effects.
    mutating func handle(_ input: ClientSession.Input) -> ClientSession.Effect? {
        effects.removeAll(keepingCapacity: true)
        session.handle(input, at: .now, into: &effects)
        var rest: ClientSession.Effect?
        for effect in effects {
            switch effect {
            case .register(let hello):
                return handle(send(0, .hello(hello)))
            case .acknowledge(let round, let acknowledgement):
                _ = send(round, .acknowledgement(acknowledgement))
            case .reply(let sequence, let reply):
                _ = send(sequence, .outcome(reply))
            case .disconnect:
                socket = nil
            case .connect, .watchKernel, .stopWatchingKernel:
                rest = effect
            case .news, .announce, .deliver, .perform:
                break
            }
        }
        return rest
    }

    private func send(_ sequence: UInt64, _ message: Message) -> ClientSession.Input {
        switch try? socket?.send(Frame(sequence: sequence, message: message)) {
        case .sent: .sent
        case .full, .short: .notSent(errno: EAGAIN)
        case .closed, nil: .notSent(errno: EPIPE)
        }
    }

    /// The next piece of news: warnings first, and commands last.
    mutating func takeNews() -> SharedSession.News? {
        if !session.hasWarning {
            if hasLimits {
                hasLimits = false
                return .limits
            }
            if hasLoads {
                hasLoads = false
                return .loads
            }
        }
        effects.removeAll(keepingCapacity: true)
        session.handle(.next, at: .now, into: &effects)
        return switch effects.first {
        case .announce(.none): .origin(.none)
        case .announce(.daemon(let socket)): .origin(.daemon(socket: sockets[socket]))
        case .announce(.kernel): .origin(.kernel(path: pressureFile))
        case .deliver(let delivery):
            .warning(MemoryWarning(delivery), isAnswered: delivery.warning.options.contains(.answerWanted))
        case .perform(let request): .command(Command(request.name, argument: request.argument))
        default: nil
        }
    }
}

extension MemoryWarning {
    fileprivate init(_ delivery: ClientSession.Delivery) {
        let warning = delivery.warning
        self.init(
            level: warning.level,
            scope: warning.scope,
            reason: warning.reason,
            bytesWanted: warning.bytesWanted,
            isSimulated: warning.options.contains(.simulated),
            isRepeat: warning.options.contains(.repeated),
            round: delivery.round
        )
    }
}
