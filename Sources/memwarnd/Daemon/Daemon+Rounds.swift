import MemoryPressure
import MemwarnProtocol

extension Daemon {
    /// Keeps a round that is over, and tells who wants to know.
    func record(_ round: Round) {
        ledger.append(round)
        let record = round.record(at: .now)
        counters.add(record)
        if let (peer, sequence) = requesters.removeValue(forKey: round.id) {
            peer.send(Frame(sequence: sequence, message: .round(record)))
        }
        publish(.round(record))
        log.round(record)
    }

    /// Tells everybody who subscribed; the message is made only if there is somebody.
    ///
    /// A scope's record takes a reading, for which the hosts that were just warned would wait behind the daemon.
    func publish(_ message: @autoclosure () -> Message) {
        guard !observers.isEmpty else { return }
        let message = message()
        for peer in observers { peer.publish(message) }
    }
}
