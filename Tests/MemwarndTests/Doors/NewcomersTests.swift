import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct NewcomersTests {
    /// A connection in an array.
    private final class Client {
        let socket: FrameSocket

        init(connectingTo path: String) throws {
            socket = try FrameSocket(connectingTo: path)
        }

        /// Whether there is nothing to read yet, not even the end.
        var isOpen: Bool {
            var request = pollfd(fd: socket.fileDescriptor, events: Int16(POLLIN))
            return poll(&request, 1, 0) == 0
        }

        /// Whether the other end has closed the connection, without a message.
        var hasEnded: Bool {
            var request = pollfd(fd: socket.fileDescriptor, events: Int16(POLLIN))
            guard poll(&request, 1, 20_000) == 1 else { return false }
            var byte: UInt8 = 0
            let count = recv(socket.fileDescriptor, &byte, 1, CInt(MSG_DONTWAIT))
            // The kernel resets a connection that has not been accepted when the door closes.
            return count == 0 || count < 0 && errno == ECONNRESET
        }
    }

    /// An admission that lets at most `perUser` newcomers of this process's account wait.
    private static func admission(perUser: Int) -> Admission {
        Admission(PeerQuotas(total: 80, perUser: perUser, exempt: []), in: .live)
    }

    @Test("newcomers that may not wait are closed without a message, as are waiting ones when the door closes")
    func limit() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/door"
        var decided: [CInt] = []
        let clients: [Client]
        do {
            let loop = try EventLoop()
            let newcomers = try Newcomers(
                ListeningSocket(path: path),
                admission: Self.admission(perUser: 3),
                closer: DescriptorCloser(),
                tells: false,
                loop: loop
            ) { newcomer, shortage in
                #expect(shortage == nil)
                if let newcomer { decided.append(newcomer.take()) }
                loop.exit(code: 0)
                // This uses up the turn, so the next newcomer needs another call of the handler.
                let start = MonotonicInstant.now
                while start.duration(to: .now) < PollGroup.turn {}
            }
            clients = try (0..<5).map { _ in try Client(connectingTo: path) }
            #expect(try loop.run() == 0)
            withExtendedLifetime(newcomers) {}
        }
        #expect(decided.count == 1)
        #expect(clients[0].isOpen && clients.dropFirst().allSatisfy { $0.hasEnded })
        for newcomer in decided { close(newcomer) }
    }

    @Test("waiting newcomers are decided on even if another source always has work to do")
    func busyLoop() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/door"
        let loop = try EventLoop()
        var turns = 0
        var decided = 0
        var busy: TimerSource?
        busy = try loop.timer(accuracy: .zero) {
            turns += 1
            // Without this limit the loop would never end if newcomers were kept waiting.
            if turns == 10_000 { loop.exit(code: 1) }
            busy?.arm(after: .zero)
        }
        busy?.arm(after: .zero)
        let newcomers = try Newcomers(
            ListeningSocket(path: path),
            admission: Self.admission(perUser: 10),
            closer: DescriptorCloser(),
            tells: false,
            loop: loop
        ) { newcomer, _ in
            if newcomer != nil { decided += 1 }
            if decided == 3 { loop.exit(code: 0) }
            // This uses up the turn, so the others wait for another call of the handler.
            let start = MonotonicInstant.now
            while start.duration(to: .now) < PollGroup.turn {}
        }
        let clients = try (0..<3).map { _ in try Client(connectingTo: path) }
        #expect(try loop.run() == 0)
        #expect(decided == 3)
        withExtendedLifetime((newcomers, clients)) {}
    }
}
