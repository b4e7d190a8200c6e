internal import Synchronization

/// What the receiving thread leaves for the host, the newest of each kind only, until the host takes it.
///
/// A host that was busy reads what holds now, not what held when it looked away. Real and simulated warnings are kept
/// apart, so that neither hides the other.
final class Mailbox: Sendable {
    /// One piece of news.
    enum Letter: Sendable {
        /// The origin of warnings changed.
        case origin(PressureOrigin)
        /// A warning arrived.
        case warning(Delivery)
    }

    /// A warning on its way to the host, and where its answer goes.
    struct Delivery: Sendable {
        var warning: MemoryWarning
        /// The connection it came from, if an answer is wanted.
        var answerTo: UInt64?
    }

    private struct State {
        var origin: PressureOrigin?
        var real: Delivery?
        var simulated: Delivery?
        var isClosed = false
        var reader: CheckedContinuation<Letter?, Never>?

        mutating func take() -> Letter? {
            if let origin = origin.take() { return .origin(origin) }
            return (real.take() ?? simulated.take()).map(Letter.warning)
        }
    }

    private let state = Mutex(State())

    /// Leaves a letter; never waits.
    func put(_ letter: Letter) {
        let wake: (CheckedContinuation<Letter?, Never>, Letter)? = state.withLock { state in
            switch letter {
            case .origin(let origin): state.origin = origin
            case .warning(let delivery) where delivery.warning.isSimulated: state.simulated = delivery
            case .warning(let delivery): state.real = delivery
            }
            guard let reader = state.reader, let letter = state.take() else { return nil }
            state.reader = nil
            return (reader, letter)
        }
        if let (reader, letter) = wake { reader.resume(returning: letter) }
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
