import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

@testable import memwarnd

struct ObserverTests {
    /// An observer of the door and the socket at the other end.
    private static func pair() throws -> PeerPair {
        let pair = try PeerPair()
        pair.peer.subscription = 5
        return pair
    }

    private static let record = Message.end(End(next: 7))

    @Test("an observer that reads again receives the number of lost records, and the count restarts")
    func readsAgain() throws {
        let pair = try Self.pair()
        for _ in 0..<2 {
            var sent: UInt64 = 0
            // As many records as it may lose. Its socket takes some more.
            while sent < Peer.mostMissed {
                #expect(pair.peer.publish(Self.record) == .observing)
                sent += 1
            }
            let count = UInt64(try pair.read().count { $0 == Self.record })
            #expect(count > 0 && count < sent)
            #expect(pair.peer.publish(Self.record) == .observing)
            #expect(try pair.read() == [.missed(Missed(count: sent - count)), Self.record])
        }
    }

    @Test("an observer that loses ten thousand records in a row counts as not reading")
    func neverReads() throws {
        let pair = try Self.pair()
        var sent: UInt64 = 0
        while pair.peer.publish(Self.record) == .observing, sent < 2 * Peer.mostMissed { sent += 1 }
        #expect(sent > Peer.mostMissed && sent < Peer.mostMissed + 1_000)
    }

    @Test("an observer whose connection has ended has left, and does not count as not reading")
    func gone() throws {
        let observer: Peer
        do {
            let pair = try Self.pair()
            observer = pair.peer
        }
        #expect(observer.publish(Self.record) == .gone)
        let loop = try EventLoop()
        let observers = try Observers(loop: loop)
        observers.add(observer)
        observers.gone = { peer in
            #expect(peer === observer)
            observers.remove(peer)
            loop.exit(code: 0)
        }
        observers.publish { Self.record }
        #expect(try loop.run() == 0)
        observers.publish {
            Issue.record("a record was made for no observer")
            return Self.record
        }
    }

    @Test("an observer receives the records after its subscription, and the number of dropped ones")
    func records() throws {
        let loop = try EventLoop()
        let observers = try Observers(loop: loop)
        let (early, late) = (try Self.pair(), try Self.pair())
        observers.add(early.peer)
        for number in 0..<UInt64(Observers.limit) { observers.publish { .end(End(next: number)) } }
        observers.add(late.peer)
        for number in 0..<UInt64(3) { observers.publish { .end(End(next: 5_000 + number)) } }
        let end = try loop.deferred { loop.exit(code: 0) }
        end.schedule()
        #expect(try loop.run() == 0)
        #expect(try early.read().prefix(2) == [.missed(Missed(count: 3)), .end(End(next: 3))])
        #expect(try late.read() == (5_000...5_002).map { .end(End(next: $0)) })
    }

    @Test("many records for many observers are sent in turns, with turns for others in between")
    func givingWay() throws {
        let loop = try EventLoop()
        let observers = try Observers(loop: loop)
        let pairs = try (0..<100).map { _ in try Self.pair() }
        for pair in pairs { observers.add(pair.peer) }
        for _ in 0..<Observers.limit { observers.publish { Self.record } }
        var turns = 0
        var other: TimerSource?
        other = try loop.timer(accuracy: .microseconds(1)) {
            turns += 1
            if turns < 10 { other?.arm(after: .zero) } else { loop.exit(code: 0) }
        }
        other?.arm(after: .zero)
        #expect(try loop.run() == 0)
        // Sending a hundred thousand packets takes longer than nine turns.
        let received = try pairs.reduce(0) { try $0 + $1.read().count }
        #expect(received > 0 && received < pairs.count * 200, "\(received) were sent")
    }

    @Test("the daemon disconnects an observer that does not read, and logs it")
    func letGo() throws {
        let daemon = try DaemonProcess()
        let observer = try RawPeer(daemon)
        try observer.send(.subscribe, sequence: 5)
        let host = try RawPeer(daemon)
        // Each host that connects and leaves causes two records.
        for _ in 0..<5_100 { _ = try RawPeer(daemon, host: "guest") }
        #expect(daemon.log(containing: "it does not read the records of its subscription") != nil)
        withExtendedLifetime((observer, host)) {}
    }
}
