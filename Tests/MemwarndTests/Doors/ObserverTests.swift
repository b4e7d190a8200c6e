import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnd

struct ObserverTests {
    /// An observer of the door, and the socket at its other end.
    private final class Pair {
        let observer: Peer
        let socket: FrameSocket

        init() throws {
            var ends: [CInt] = [-1, -1]
            let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            socket = FrameSocket(taking: Descriptor(taking: ends[0]))
            observer = try Peer(FrameSocket(taking: Descriptor(taking: ends[1])), now: .now)
            observer.subscription = 5
        }

        /// The records that have come, `nil` for the count of lost ones.
        func read() throws -> [Message] {
            try withUnsafeTemporaryAllocation(byteCount: Frame.maximumSize, alignment: 8) { buffer in
                var messages: [Message] = []
                while case .packet(let size) = socket.receive(into: buffer) {
                    messages.append(try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])).message)
                }
                return messages
            }
        }
    }

    private static let record = Message.end(End(next: 7))

    @Test("an observer that reads again is told how many records it lost, and begins anew")
    func readsAgain() throws {
        let pair = try Pair()
        for _ in 0..<2 {
            var sent: UInt64 = 0
            // As many as it may lose, and what its socket takes besides.
            while sent < Peer.mostMissed {
                #expect(pair.observer.publish(Self.record))
                sent += 1
            }
            let count = UInt64(try pair.read().count { $0 == Self.record })
            #expect(count > 0 && count < sent)
            #expect(pair.observer.publish(Self.record))
            #expect(try pair.read() == [.missed(Missed(count: sent - count)), Self.record])
        }
    }

    @Test("an observer that loses ten thousand records in a row is one that does not read")
    func neverReads() throws {
        let pair = try Pair()
        var sent: UInt64 = 0
        while pair.observer.publish(Self.record), sent < 2 * Peer.mostMissed { sent += 1 }
        #expect(sent > Peer.mostMissed && sent < Peer.mostMissed + 1_000)
    }

    @Test("the daemon lets go of an observer that does not read, and says so in its log")
    func letGo() throws {
        let daemon = try DaemonProcess()
        let observer = try RawPeer(daemon)
        try observer.send(.subscribe, sequence: 5)
        let host = try RawPeer(daemon)
        // Each host that comes and goes is two records.
        for _ in 0..<5_100 { _ = try RawPeer(daemon, host: "guest") }
        #expect(daemon.log(containing: "it does not read what it subscribed to") != nil)
        withExtendedLifetime((observer, host)) {}
    }
}
