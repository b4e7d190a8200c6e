import MemoryPressure
import MemwarnProtocol
import Systemd

/// A connection that hears of the daemon's events and asks it for everything, without ever waiting.
final class DaemonConnection {
    /// What the daemon had to say.
    enum News {
        /// Everything that was asked for.
        case snapshot(DaemonSnapshot)
        /// Something happened: what is known is old.
        case event
    }

    private var client: ControlClient
    private var source: IOSource?
    private var collector = SnapshotCollector()
    /// The sequence of the question whose answer is awaited; `nil` if none is.
    private var asked: UInt64?
    private let subscription: UInt64

    /// Whether an answer is awaited.
    var isAsking: Bool { asked != nil }
    /// How many questions the last snapshot took.
    var pages: Int { collector.pages }

    /// Connects and subscribes; from then on `readable` is called when there is something to ``read(_:)``.
    init(_ options: DaemonOptions, on loop: EventLoop, readable: @escaping () -> Void) throws(Failure) {
        client = try ControlClient(options)
        subscription = try client.request(.subscribe)
        do throws(SystemdError) {
            source = try loop.watch(client.fileDescriptor, for: .readable) { _ in readable() }
        } catch {
            throw .software("\(error)")
        }
    }

    deinit {
        // Before the client closes its descriptor.
        source = nil
    }

    /// Asks for everything anew; what is still under way is forgotten.
    func ask() throws(Failure) {
        collector = SnapshotCollector()
        try askForPage()
    }

    private func askForPage() throws(Failure) {
        asked = nil
        if let query = collector.query { asked = try client.request(.query(query)) }
    }

    /// Takes what has come.
    func read(_ handler: (News) -> Void) throws(Failure) {
        while let frame = try client.receiveNow() {
            if frame.sequence == asked {
                guard try collector.take(frame.message) else { continue }
                try askForPage()
                if asked == nil { handler(.snapshot(try collector.snapshot)) }
            } else if case .error(let refusal) = frame.message {
                throw Failure(refusal)
            } else if frame.sequence == subscription {
                // The end of its reply says nothing new.
                if case .end = frame.message { continue }
                handler(.event)
            }
        }
    }
}
