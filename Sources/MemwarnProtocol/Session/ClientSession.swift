package import MemoryPressure

/// A host's side of the protocol, from the first attempt to connect to the last answer, as a value.
///
/// It holds no descriptor and reads no clock. Its owner feeds it what has happened, as an ``Input`` with the instant, and
/// performs the ``Effect``s that come of it, in their order; the result of an effect is the next input. The effects of one
/// call contain at most one that has a result (``Effect/connect(socket:)``, ``Effect/register(_:)``,
/// ``Effect/watchKernel(_:)``), and no effect of the same call comes after it but ``Effect/news``. Equal inputs at
/// equal instants have equal effects, in any process and in any language: `docs/PROTOCOL.md` names the table of cases that
/// says so.
///
/// What it does:
///
/// - **It connects** to the first socket that takes the connection and its hello. If none does, it tries all of them again
///   after a random wait (``Backoff``); so it does when a connection ends, when a packet is no frame, and, after a long
///   wait, when the daemon says that it closes.
/// - **It falls back to the kernel** while no daemon has said welcome: at once when there is no connection, and
///   after ``patience`` when a daemon takes the hello and says nothing. That connection stays, and a late welcome counts.
///   With the welcome the kernel is no longer watched.
/// - **It says what changes**: a welcome is a warning for the host only if its level is another than the host was told last.
///   Warnings that are not simulated set that level.
/// - **A raised level does not outlive what watches it**: after ``grace`` without a daemon and without the kernel the
///   host is told normal.
/// - **What is for the host waits** until the host asks for it: the newest origin, the newest real and the newest simulated
///   warning, and up to ``commandLimit`` commands (``PendingNews``). A command beyond that is answered at once, as failed.
/// - **An answer goes to the connection that asked**, and to none if that has ended.
///
/// A few hundred bytes. A call allocates what decoding a packet does, and nothing else once the buffer of effects has its
/// size; commands that wait are the exception.
package struct ClientSession: Sendable {
    /// How long a daemon may take to say welcome before the kernel is watched meanwhile: it may hang.
    package static let patience = Duration.seconds(1)
    /// How long a raised level holds while nothing is watched: longer than a daemon takes to be started again.
    package static let grace = Duration.seconds(30)
    /// How many commands wait at most: more than a person sends, and few enough to be done in time.
    package static let commandLimit = 16

    /// How far it is with a daemon.
    private enum Link {
        /// There is none, and it is looked for again at this instant.
        case absent(until: MonotonicInstant)
        /// A connection to this socket is asked for.
        case connecting(Int)
        /// There is a connection to this socket, and hello is to be sent.
        case greeting(Int)
        /// Hello is sent; the welcome is waited for until this instant, and without a time limit after it.
        case greeted(Int, due: MonotonicInstant?)
        /// The daemon has said welcome.
        case registered
    }

    /// How far it is with the kernel.
    private enum Watch {
        case off
        case asked
        case on
    }

    private let hello: Hello
    private let sockets: Int
    private let watchesKernel: Bool
    private let grace: Duration

    private var link = Link.absent(until: MonotonicInstant(nanoseconds: 0))
    private var watch = Watch.off
    private var backoff: Backoff
    private var news = PendingNews()
    /// What the host was told last, or is about to be.
    private var origin: Origin?
    private var level: PressureLevel
    /// Where the kernel was watched last.
    private var scope = "/"
    /// When the level falls, while it is raised and nothing is watched.
    private var fall: MonotonicInstant?

    /// A session that has not begun; the first ``Input/time`` begins it.
    ///
    /// - Parameters:
    ///   - hello: What the host registers with; what it could release is filled in at each registration.
    ///   - sockets: How many sockets a daemon may listen on; effects name them by their index.
    ///   - watchesKernel: Whether the process may watch the kernel while there is no daemon.
    ///   - level: What the host was told before.
    ///   - grace: How long a raised level holds while nothing is watched.
    ///   - seed: Where the random numbers start. Hosts with equal seeds look for a daemon in step.
    package init(
        _ hello: Hello,
        sockets: Int,
        watchesKernel: Bool = true,
        level: PressureLevel = .normal,
        grace: Duration = Self.grace,
        seed: UInt64
    ) {
        self.hello = hello
        self.sockets = sockets
        self.watchesKernel = watchesKernel
        self.level = level
        self.grace = grace
        backoff = Backoff(seed: seed)
    }

    /// When the next ``Input/time`` is due; `nil` if there is nothing to wait for but other inputs.
    ///
    /// Earlier ones do no harm.
    package var deadline: MonotonicInstant? {
        let due: MonotonicInstant? =
            switch link {
            case .absent(let until): until
            case .greeted(_, let due): due
            case .connecting, .greeting, .registered: nil
            }
        guard let due, let fall else { return due ?? fall }
        return min(due, fall)
    }

    /// Whether an origin or a warning waits for the host, which go before everything else that the host has to do.
    package var hasWarning: Bool { news.hasWarning }

    /// Takes note of what has happened, and adds what is to be done about it to `effects`.
    ///
    /// An input that does not fit the state, such as a packet without a connection, changes nothing.
    package mutating func handle(_ input: Input, at now: MonotonicInstant, into effects: inout [Effect]) {
        switch input {
        case .time:
            passTime(now, &effects)
        case .connected(let releasable):
            guard case .connecting(let socket) = link else { break }
            link = .greeting(socket)
            var hello = hello
            hello.releasable = releasable
            effects.append(.register(hello))
        case .notConnected:
            guard case .connecting(let socket) = link else { break }
            connect(socket + 1, now, &effects)
        case .sent:
            guard case .greeting(let socket) = link else { break }
            link = .greeted(socket, due: now.advanced(by: Self.patience))
        case .notSent:
            guard case .greeting(let socket) = link else { break }
            effects.append(.disconnect)
            connect(socket + 1, now, &effects)
        case .packet(let bytes):
            guard isConnected else { break }
            do throws(FrameError) {
                take(try Frame(decoding: bytes), now, &effects)
            } catch {
                disconnect(now, &effects)
            }
        case .oversized, .closed:
            if isConnected { disconnect(now, &effects) }
        case .kernelWatched(let scope):
            guard watch == .asked else { break }
            watch = .on
            self.scope = scope
            // Without a look at the origin before: it may be another cgroup's file by now.
            origin = .kernel
            news.put(.kernel)
        case .kernelNotWatched:
            guard watch == .asked else { break }
            watch = .off
            announce(.none)
        case .kernelLost:
            // The cgroup is gone, and the process lives in another one by now.
            guard watch == .on else { break }
            watch = .off
            watchKernel(&effects)
        case .kernelLevel(let level, let reason, let isRepeat):
            if watch == .on { tell(level, reason, scope, isRepeat ? .repeated : []) }
        case .next:
            if let effect = news.take() { effects.append(effect) }
        case .acknowledged(let acknowledgement):
            if let effect = news.answer(acknowledgement) { effects.append(effect) }
        case .performed(let reply):
            if let effect = news.answer(reply) { effects.append(effect) }
        }
        limitLevel(now)
        if news.takeArrival() { effects.append(.news) }
    }

    private mutating func passTime(_ now: MonotonicInstant, _ effects: inout [Effect]) {
        if let fall, now >= fall { tell(.normal, PressureReason(.unknown), scope) }
        switch link {
        case .absent(let until) where now >= until:
            connect(0, now, &effects)
        case .greeted(let socket, let due?) where now >= due:
            // Once: where there is no kernel to watch either, there is nothing more to try.
            link = .greeted(socket, due: nil)
            watchKernel(&effects)
        default:
            break
        }
    }

    /// Notes when a raised level has to fall, since nothing would say that pressure is over.
    private mutating func limitLevel(_ now: MonotonicInstant) {
        var isWatched = watch == .on
        if case .registered = link { isWatched = true }
        fall = level == .normal || isWatched ? nil : fall ?? now.advanced(by: grace)
    }

    // MARK: The daemon

    private var isConnected: Bool {
        switch link {
        case .absent, .connecting: false
        case .greeting, .greeted, .registered: true
        }
    }

    /// Tries this socket, or waits if there is none left to try.
    private mutating func connect(_ socket: Int, _ now: MonotonicInstant, _ effects: inout [Effect]) {
        guard socket < sockets else { return postpone(now, &effects) }
        link = .connecting(socket)
        effects.append(.connect(socket: socket))
    }

    private mutating func postpone(_ now: MonotonicInstant, _ effects: inout [Effect]) {
        link = .absent(until: now.advanced(by: backoff.next()))
        watchKernel(&effects)
    }

    private mutating func disconnect(_ now: MonotonicInstant, _ effects: inout [Effect]) {
        news.forgetQuestions()
        effects.append(.disconnect)
        postpone(now, &effects)
    }

    private mutating func take(_ frame: Frame, _ now: MonotonicInstant, _ effects: inout [Effect]) {
        switch frame.message {
        case .welcome(let welcome):
            backoff.reset()
            if watch != .off { effects.append(.stopWatchingKernel) }
            watch = .off
            switch link {
            case .greeting(let socket), .greeted(let socket, _): announce(.daemon(socket: socket))
            case .absent, .connecting, .registered: break
            }
            link = .registered
            // What holds now: a rise the host has slept through, or the end of what it was told before.
            if welcome.level != level { tell(welcome.level, welcome.reason, welcome.scope) }
        case .warning(let warning):
            deliver(warning, round: frame.sequence)
        case .command(let request):
            guard !news.put(request, sequence: frame.sequence, limit: Self.commandLimit) else { break }
            effects.append(.reply(frame.sequence, CommandReply(result: .failed, text: "busy")))
        case .error(let refusal) where refusal.code.closes:
            // Trying again helps no sooner than something else changes.
            backoff.lengthen()
            disconnect(now, &effects)
        default:
            // Other refusals, and what a later daemon may say besides.
            break
        }
    }

    // MARK: The kernel

    private mutating func watchKernel(_ effects: inout [Effect]) {
        guard watch == .off else { return }
        guard watchesKernel else { return announce(.none) }
        watch = .asked
        effects.append(.watchKernel(level))
    }

    // MARK: The host

    private mutating func announce(_ origin: Origin) {
        guard origin != self.origin else { return }
        self.origin = origin
        news.put(origin)
    }

    /// Tells a level that no round is about, so no answer is wanted.
    private mutating func tell(
        _ level: PressureLevel,
        _ reason: PressureReason,
        _ scope: String,
        _ options: WarningOptions = []
    ) {
        deliver(
            Warning(level: level, options: options, reason: reason, bytesWanted: 0, deadline: 0, scope: scope),
            round: 0
        )
    }

    private mutating func deliver(_ warning: Warning, round: UInt64) {
        if !warning.options.contains(.simulated) { level = warning.level }
        news.put(Delivery(warning: warning, round: round))
    }
}

extension Refusal.Code {
    /// Whether the daemon closes the connection after it.
    fileprivate var closes: Bool {
        switch self {
        case .malformed, .unsupportedVersion, .unexpectedMessage, .tooManyPeers: true
        default: false
        }
    }
}
