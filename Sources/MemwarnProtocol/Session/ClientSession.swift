internal import CLinux
package import MemoryPressure

/// A host's side of the protocol, from the first attempt to connect to the last answer, as a value.
///
/// It holds no descriptor and reads no clock. Its owner feeds it each event as an ``Input`` with the instant, and
/// performs the resulting ``Effect``s in their order; the result of an effect is the next input. The effects of one
/// call contain at most one that has a result (``Effect/connect(socket:)``, ``Effect/register(_:)``,
/// ``Effect/watchKernel(_:)``), and only ``Effect/news`` may follow it in the same call. Equal inputs at equal instants
/// have equal effects, in any process and in any language: `docs/PROTOCOL.md` names the table of cases that defines
/// them.
///
/// Its behaviour:
///
/// - **It connects** to the first socket that takes the connection and its hello. If none does, it tries all of them
///   again after a random wait (``Backoff``). It does the same when a connection ends, when a packet is not a frame,
///   and, after a long wait, when the daemon announces that it closes the connection.
/// - **It falls back to the kernel** while no daemon has sent a welcome: at once if there is no connection, and after
///   ``patience`` if a daemon accepts the hello and does not answer. That connection stays, and a late welcome counts.
///   The welcome ends the watch of the kernel.
/// - **It reports changes**: a welcome is a warning for the host only if its level differs from the last level that the
///   host was told. Warnings that are not simulated set that level.
/// - **A raised level does not outlive what watches it**: after ``grace`` without a daemon and without the kernel the
///   host is told `normal`.
/// - **News waits** until the host asks for it: the newest origin, the newest real and the newest simulated warning,
///   and up to ``commandLimit`` commands (``PendingNews``). A further command is answered at once, as failed.
/// - **An answer is sent on the connection of its question**, and is dropped if that connection has ended.
///
/// It takes a few hundred bytes. A call allocates only what decoding a packet allocates, once the buffer of effects is
/// large enough; waiting commands are the exception.
package struct ClientSession: Sendable {
    /// How long a daemon may take to send its welcome before the kernel is watched: the daemon may hang.
    package static let patience = Duration.seconds(1)
    /// How long a raised level lasts while nothing is watched: longer than a restart of the daemon.
    package static let grace = Duration.seconds(30)
    /// The maximum number of waiting commands: more than a person sends, and few enough to be performed in time.
    package static let commandLimit = 16

    /// The state of the connection to a daemon.
    private enum Link {
        /// There is no connection; the next attempt is at this instant.
        case absent(until: MonotonicInstant)
        /// A connection to this socket is requested; on a socket before it a daemon listens, whose queue is full.
        case connecting(Int, isInQueue: Bool)
        /// There is a connection to this socket; the hello is being sent.
        case greeting(Int)
        /// The hello is sent; the kernel is watched if no welcome arrives before this instant, and the welcome may
        /// arrive later.
        case greeted(Int, due: MonotonicInstant?)
        /// The daemon has sent its welcome.
        case registered
    }

    /// The state of the watch of the kernel.
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
    /// The origin and level that the host was told last, or is about to be told.
    private var origin: Origin?
    private var level: PressureLevel
    /// The scope in which the kernel was watched last.
    private var scope = "/"
    /// When the level falls, while it is raised and nothing is watched.
    private var fall: MonotonicInstant?

    /// Creates a session; the first ``Input/time`` begins it.
    ///
    /// - Parameters:
    ///   - hello: The host's registration; the releasable bytes are filled in at each registration.
    ///   - sockets: The number of sockets on which a daemon may listen; effects name them by their index.
    ///   - watchesKernel: Whether the process may watch the kernel while there is no daemon.
    ///   - level: The level that the host was told before.
    ///   - grace: How long a raised level lasts while nothing is watched.
    ///   - seed: The seed of the random numbers. Hosts with equal seeds retry at the same times.
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

    /// When the next ``Input/time`` is due; `nil` if only other inputs can change the state.
    ///
    /// An earlier ``Input/time`` does no harm.
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

    /// Whether an origin or a warning waits for the host; both precede all other work of the host.
    package var hasWarning: Bool { news.hasWarning }

    /// Handles an event, and appends the resulting actions to `effects`.
    ///
    /// An input that does not fit the state, such as a packet without a connection, changes nothing.
    package mutating func handle(_ input: Input, at now: MonotonicInstant, into effects: inout [Effect]) {
        switch input {
        case .time:
            passTime(now, &effects)
        case .connected(let releasable):
            guard case .connecting(let socket, _) = link else { break }
            link = .greeting(socket)
            var hello = hello
            hello.releasable = releasable
            effects.append(.register(hello))
        case .notConnected(let errno):
            guard case .connecting(let socket, let isInQueue) = link else { break }
            connect(socket + 1, isInQueue: isInQueue || errno == EAGAIN, now, &effects)
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
            // The previous origin does not matter: this may be the file of another cgroup.
            origin = .kernel
            news.put(.kernel)
        case .kernelNotWatched:
            guard watch == .asked else { break }
            watch = .off
            announce(.none)
        case .kernelLost:
            // The cgroup is gone, and the process now lives in another.
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
            // Only once: if the kernel cannot be watched either, there is nothing more to try.
            link = .greeted(socket, due: nil)
            watchKernel(&effects)
        default:
            break
        }
    }

    /// Sets the time when a raised level has to fall, because no source would report the end of pressure.
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
    private mutating func connect(
        _ socket: Int,
        isInQueue: Bool = false,
        _ now: MonotonicInstant,
        _ effects: inout [Effect]
    ) {
        guard socket < sockets else { return postpone(isInQueue: isInQueue, now, &effects) }
        link = .connecting(socket, isInQueue: isInQueue)
        effects.append(.connect(socket: socket))
    }

    private mutating func postpone(
        isInQueue: Bool = false,
        _ now: MonotonicInstant,
        _ effects: inout [Effect]
    ) {
        link = .absent(until: now.advanced(by: backoff.next(isInQueue: isInQueue)))
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
            // The present state: a rise that the host has missed, or the end of the level that it was told before.
            if welcome.level != level { tell(welcome.level, welcome.reason, welcome.scope) }
        case .warning(let warning):
            deliver(warning, round: frame.sequence)
        case .command(let request):
            guard !news.put(request, sequence: frame.sequence, limit: Self.commandLimit) else { break }
            effects.append(.reply(frame.sequence, CommandReply(result: .failed, text: "busy")))
        case .error(let refusal) where refusal.code.closes:
            // A new attempt can only help after something else has changed.
            backoff.lengthen()
            disconnect(now, &effects)
        default:
            // Other refusals, and messages of later daemons.
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

    /// Delivers a level without a round, so no answer is wanted.
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
