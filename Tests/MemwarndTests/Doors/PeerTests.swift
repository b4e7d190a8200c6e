import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnd

struct PeerTests {
    @Test func `a warning does not overtake a welcome that waits for room`() throws {
        let pair = try PeerPair(sendBuffer: 1)
        while pair.peer.offer(Frame(sequence: 0, message: .end(End()))) == .sent {}
        let welcome = Message.welcome(Welcome(hostID: 1, level: .normal, reason: .simulation, scope: "/"))
        pair.peer.send(Frame(sequence: 0, message: welcome))
        #expect(try pair.read().allSatisfy { $0 == .end(End()) })
        let warning = Warning(
            level: .critical,
            options: [.answerWanted],
            reason: .simulation,
            bytesWanted: 0,
            deadline: 1_000,
            scope: "/"
        )
        WarningPacket.with(warning, 3) { packet in
            // There is room again, but the door has not been told yet.
            #expect(pair.peer.warn(packet) == .full)
            pair.peer.noteRoom()
            #expect(pair.peer.warn(packet) == .sent)
        }
        #expect(try pair.read() == [welcome, .warning(warning)])
    }
}
