internal import ResourceCaches

/// What the receiving thread leaves for the host until the host takes it.
///
/// Of origins and warnings only the newest: a host that was busy reads what holds now, not what held when it looked
/// away. Real and simulated warnings are kept apart, so that neither hides the other. Commands queue behind them, since
/// each was sent to be done.
final class Mailbox: Sendable {
    /// One piece of news.
    enum Letter: Sendable {
        /// The origin of warnings changed.
        case origin(PressureOrigin)
        /// A warning arrived.
        case warning(Delivery)
        /// A limit of the process's memory was written.
        case limits
        /// Background work of controllers has ended.
        case loads
        /// A command arrived.
        case command(Errand)
    }

    /// A warning on its way to the host, and where its answer goes.
    struct Delivery: Sendable {
        var warning: MemoryWarning
        /// The connection it came from, if an answer is wanted.
        var answerTo: UInt64?
    }

    /// A command on its way to the host, and where its answer goes.
    struct Errand: Sendable {
        var command: Command
        /// Its number on the connection it came from.
        var sequence: UInt64
        var answerTo: UInt64
    }

    /// How many commands wait at most: more than a person sends, and few enough to be done in time.
    static let commandLimit = 16

    private struct State {
        var origin: PressureOrigin?
        var real: Delivery?
        var simulated: Delivery?
        var hasLimits = false
        var hasLoads = false
        /// The oldest first.
        var commands: [Errand] = []
        var isClosed = false
        var reader: CheckedContinuation<Letter?, Never>?

        mutating func take() -> Letter? {
            if let origin = origin.take() { return .origin(origin) }
            if let warning = real.take() ?? simulated.take() { return .warning(warning) }
            if hasLimits {
                hasLimits = false
                return .limits
            }
            if hasLoads {
                hasLoads = false
                return .loads
            }
            return commands.isEmpty ? nil : .command(commands.removeFirst())
        }
    }

    private let state = Guarded(State())

    /// Leaves a letter; never waits.
    ///
    /// - Returns: Whether there was room, which only commands can lack.
    @discardableResult
    func put(_ letter: Letter) -> Bool {
        let (isTaken, wake): (Bool, (CheckedContinuation<Letter?, Never>, Letter)?) = state.withLock { state in
            switch letter {
            case .origin(let origin): state.origin = origin
            case .warning(let delivery) where delivery.warning.isSimulated: state.simulated = delivery
            case .warning(let delivery): state.real = delivery
            case .limits: state.hasLimits = true
            case .loads: state.hasLoads = true
            case .command(let errand):
                guard state.commands.count < Self.commandLimit else { return (false, nil) }
                state.commands.append(errand)
            }
            guard let reader = state.reader, let letter = state.take() else { return (true, nil) }
            state.reader = nil
            return (true, (reader, letter))
        }
        if let (reader, letter) = wake { reader.resume(returning: letter) }
        return isTaken
    }

    /// Takes the next letter, waiting for it; `nil` once the mailbox is closed.
    nonisolated(nonsending) func next() async -> Letter? {
        await withCheckedContinuation { continuation in
            let ready: Letter?? = state.withLock { state in
                if state.isClosed { return .some(nil) }
                if let letter = state.take() { return letter }
                state.reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Ends the reading, now and for good.
    func close() {
        let reader = state.withLock { state in
            state.isClosed = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }
}
