import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd

/// `top` on a terminal: queries the daemon, reads keys, and draws.
final class TopScreen {
    /// How it ended.
    enum Ending {
        case asked
        /// By a signal with which this process still has to end.
        case signal(CInt)
    }

    /// The time without an answer after which the query is repeated: an answer is lost if this process's queue was
    /// full.
    private static let patience = Duration.seconds(3)
    /// The interval between attempts to find a daemon.
    private static let retry = Duration.seconds(1)

    private let options: DaemonOptions
    private let interval: Duration
    private let terminal = Terminal()
    private let loop: EventLoop
    private var client: ControlClient?
    /// The number of the subscription.
    private var subscription: UInt64 = 0
    private var collector = SnapshotCollector()
    /// The number of the pending query; `nil` if there is none.
    private var question: UInt64?
    private var state: TopState
    private var keys = KeyReader()
    private var sources: [EventSource] = []
    private var timer: TimerSource?
    /// The time of the last query, and of the last answer before it.
    private var asked = MonotonicInstant.now
    /// Whether there was an event since the last query.
    private var isOld = false
    private var ending = Ending.asked

    /// Connects, and shows nothing yet.
    ///
    /// - Throws: ``Failure`` if no daemon answers.
    init(_ options: DaemonOptions, interval: Duration) throws(Failure) {
        self.options = options
        self.interval = interval
        let client = try ControlClient(options)
        state = TopState(try DaemonSnapshot(from: client), isLive: true, at: .now)
        do throws(SystemdError) {
            loop = try EventLoop()
        } catch {
            throw .software("\(error)")
        }
    }

    /// Shows the screen until a key or a signal ends it; restores the terminal before it returns.
    func run() throws(Failure) -> Ending {
        do {
            timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in update() }
            for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
                sources.append(
                    try loop.signal(number) { [unowned self] in
                        ending = number == SIGINT ? .asked : .signal(number)
                        loop.exit(code: 0)
                    }
                )
            }
            sources.append(try loop.signal(SIGWINCH) { [unowned self] in draw() })
            sources.append(try loop.signal(SIGTSTP) { [unowned self] in suspend() })
            if isatty(STDIN_FILENO) == 1 {
                sources.append(try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] in takeKeys($0) })
            }
            try terminal.enter()
            defer { terminal.leave() }
            update()
            _ = try loop.run()
            return ending
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .software("\(error)")
        }
    }

    /// The handler of the timer: connects or queries.
    private func update() {
        do throws(Failure) {
            if let client {
                if question != nil {
                    let seconds = asked.duration(to: .now).milliseconds / 1_000
                    state.trouble = "the daemon has not answered for \(seconds) s"
                }
                if !state.isPaused { try ask(client) }
            } else {
                try ask(connect())
            }
        } catch {
            lose(error)
        }
        draw()
    }

    private func connect() throws(Failure) -> ControlClient {
        let client = try ControlClient(options)
        subscription = try client.request(.subscribe)
        client.received = { [unowned self] in take($0) }
        do throws(SystemdError) {
            try client.listen(on: loop)
        } catch {
            throw .software("\(error)")
        }
        self.client = client
        return client
    }

    /// Queries everything again; drops a pending query.
    private func ask(_ client: ControlClient) throws(Failure) {
        if question == nil { asked = .now }
        isOld = false
        collector = SnapshotCollector()
        try askForPage(client)
        timer?.arm(after: Self.patience)
    }

    private func askForPage(_ client: ControlClient) throws(Failure) {
        question = nil
        if let query = collector.query { question = try client.request(.query(query)) }
    }

    private func take(_ news: Result<Frame, Failure>) {
        guard let client else { return }
        do throws(Failure) {
            let frame = try news.get()
            if frame.sequence == question {
                guard try collector.take(frame.message) else { return }
                try askForPage(client)
                if question == nil { show(try collector.snapshot) }
            } else if case .error(let refusal) = frame.message {
                throw Failure(refusal)
            } else if frame.sequence == subscription {
                // The end of its reply contains no news.
                if case .end = frame.message { return }
                isOld = true
            }
            wait()
        } catch {
            lose(error)
            draw()
        }
    }

    private func show(_ snapshot: DaemonSnapshot) {
        // It was requested before the pause; only a lost daemon is always reported.
        guard !state.isPaused || state.trouble != nil else { return }
        state.take(snapshot, at: .now)
        draw()
    }

    /// Arms the timer for the next time to ask.
    private func wait() {
        guard client != nil, question == nil, !state.isPaused else { return }
        // Ten times a second with few hosts. With thousands, whose pages take the daemon's time while it warns them, at
        // most a hundred pages a second; the daemon would refuse a thousand frames a second.
        let soonest = max(Duration.milliseconds(100), Duration.milliseconds(10 * collector.pages))
        let pause = isOld ? soonest : max(interval, soonest)
        timer?.arm(after: max(.zero, pause - asked.duration(to: .now)))
    }

    private func lose(_ failure: Failure) {
        client = nil
        question = nil
        state.trouble = "\(failure.message.prefix { $0 != ";" }); trying again each second"
        timer?.arm(after: Self.retry)
    }

    private func takeKeys(_ ready: IOEvents) {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = CLinux.read(STDIN_FILENO, &bytes, bytes.count)
        // The terminal hung up.
        guard count > 0 else { return loop.exit(code: 0) }
        let wasPaused = state.isPaused
        for key in keys.keys(in: bytes[..<count]) {
            guard state.press(key) else { return loop.exit(code: 0) }
        }
        if wasPaused && !state.isPaused { return update() }
        draw()
    }

    /// Ctrl-Z: restores the terminal, stops, and takes the terminal again when the shell continues this process.
    private func suspend() {
        terminal.leave()
        raise(SIGSTOP)
        do throws(Failure) {
            try terminal.enter()
            draw()
        } catch {
            loop.exit(code: 0)
        }
    }

    private func draw() {
        let frame = TopFrame(state, size: terminal.size, at: .now)
        state.firstHost = frame.firstHost
        terminal.draw(frame.lines)
    }
}
