import MemoryPressure
import MemwarnProtocol
import Systemd

/// The peers that subscribed: sends them records when no more important source is pending.
///
/// Many rounds may end at once, and there may be thousands of observers. Each record takes some microseconds, so
/// observers are served in turns, each limited in time.
final class Observers {
    /// Called with an observer that does not read.
    var deaf: (Peer) -> Void = { _ in }
    /// Called with an observer that has left.
    var gone: (Peer) -> Void = { _ in }

    /// The maximum number of waiting records; beyond it the oldest is dropped (as many hosts may come
    /// or go at once).
    static let limit = 1_024

    private struct Observer {
        let peer: Peer
        /// The number of the next record to send to it.
        var next: UInt64
    }

    private var observers: [Observer] = []
    /// The observer that is served next.
    private var place = 0
    /// The waiting records, each at the position of its number; numbers are never reused.
    private var records: [Message?] = []
    private var numbers: Range<UInt64> = 0..<0
    private var source: TimerSource?

    /// No observers.
    init(loop: EventLoop) throws(SystemdError) {
        source = try loop.timer(accuracy: .microseconds(1)) { self.pass() }
    }

    /// Adds an observer, which receives the records from now on.
    func add(_ peer: Peer) {
        observers.append(Observer(peer: peer, next: numbers.upperBound))
    }

    /// Removes a peer, which need not be an observer.
    func remove(_ peer: Peer) {
        guard let index = observers.firstIndex(where: { $0.peer === peer }) else { return }
        observers.remove(at: index)
        if index < place { place -= 1 }
    }

    /// Sends a record, if there is one, to all observers; it is only made if there is an observer.
    func publish(_ record: () -> Message?) {
        guard !observers.isEmpty, let record = record() else { return }
        if records.isEmpty { records = Array(repeating: nil, count: Self.limit) }
        if numbers.count == Self.limit { numbers = (numbers.lowerBound + 1)..<numbers.upperBound }
        records[Self.place(of: numbers.upperBound)] = record
        numbers = numbers.lowerBound..<(numbers.upperBound + 1)
        source?.arm(after: .zero)
    }

    private static func place(of number: UInt64) -> Int { Int(number % UInt64(limit)) }

    /// Sends each observer in turn one record, until all have all records or the turn is over.
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
