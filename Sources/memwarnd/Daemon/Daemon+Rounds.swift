import MemoryPressure
import MemwarnProtocol

extension Daemon {
    /// Keeps a round that is over, and tells who wants to know.
    func record(_ round: Round) {
        ledger.append(round)
        let record = round.record(at: .now)
        if let (peer, sequence) = requesters.removeValue(forKey: round.id) {
            peer.send(Frame(sequence: sequence, message: .round(record)))
        }
        publish(.round(record))
        log.round(record)
    }

    /// Tells everybody who subscribed.
    func publish(_ message: Message) {
        for peer in observers { peer.publish(message) }
    }

    private var observers: [Peer] { door.peers.values.filter { $0.subscription != nil } }
}
