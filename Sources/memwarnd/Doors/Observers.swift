import MemoryPressure
import MemwarnProtocol
import Systemd

/// The peers that subscribed: passes records on to them between what is more important.
///
/// Many rounds may end at once, and there may be thousands of observers: what each is sent takes some microseconds, so they are
/// sent it in turns, for as long as a turn lasts.
final class Observers {
    /// Called with an observer that does not read.
    var deaf: (Peer) -> Void = { _ in }
    /// Called with an observer that is gone.
    var gone: (Peer) -> Void = { _ in }

    /// As many records wait at most, with more the oldest is dropped: as many hosts come or go in a moment.
    static let limit = 1_024

    private struct Observer {
        let peer: Peer
        /// The number of the record that it is sent next.
        var next: UInt64
    }

    private var observers: [Observer] = []
    /// The observer whose turn it is.
    private var place = 0
    /// The records that wait, each where its number says; numbers go on.
    private var records: [Message?] = []
    private var numbers: Range<UInt64> = 0..<0
    private var source: TimerSource?

    /// No observers.
    init(loop: EventLoop) throws(SystemdError) {
        source = try loop.timer(accuracy: .microseconds(1)) { self.pass() }
    }

    /// Adds one, which hears of what is published from now on.
    func add(_ peer: Peer) {
        observers.append(Observer(peer: peer, next: numbers.upperBound))
    }

    /// Forgets a peer, which need not be here.
    func remove(_ peer: Peer) {
        guard let index = observers.firstIndex(where: { $0.peer === peer }) else { return }
        observers.remove(at: index)
        if index < place { place -= 1 }
    }

    /// Has a record passed on to all; it is made only if there is one.
    func publish(_ record: () -> Message) {
        guard !observers.isEmpty else { return }
        if records.isEmpty { records = Array(repeating: nil, count: Self.limit) }
        if numbers.count == Self.limit { numbers = (numbers.lowerBound + 1)..<numbers.upperBound }
        records[Self.place(of: numbers.upperBound)] = record()
        numbers = numbers.lowerBound..<(numbers.upperBound + 1)
        source?.arm(after: .zero)
    }

    private static func place(of number: UInt64) -> Int { Int(number % UInt64(limit)) }

    /// Sends each observer in turn one record, until all have all of them or the turn is over.
    private func pass() {
        let start = MonotonicInstant.now
        var idle = 0
        while idle < observers.count {
            if place >= observers.count { place = 0 }
            let index = place
            place += 1
            if observers[index].next == numbers.upperBound {
                idle += 1
            } else {
                idle = 0
                sendNext(to: index)
            }
            if start.duration(to: .now) >= PollGroup.turn {
                source?.arm(after: .zero)
                return
            }
        }
        numbers = numbers.upperBound..<numbers.upperBound
        records = []
    }

    private func sendNext(to index: Int) {
        let number = max(observers[index].next, numbers.lowerBound)
        let missed = number - observers[index].next
        observers[index].next = number + 1
        let peer = observers[index].peer
        guard let record = records[Self.place(of: number)] else { return }
        switch peer.publish(record, afterMissing: missed) {
        case .observing: return
        case .deaf: deaf(peer)
        case .gone: gone(peer)
        }
    }
}
