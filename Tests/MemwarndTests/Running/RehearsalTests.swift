import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct RehearsalTests {
    @Test("a rehearsal runs a critical round with one host that answers, and leaves no descriptor open")
    func round() throws {
        let before = Self.descriptors
        let round = try #require(Rehearsal.run(.live))
        #expect(round.level == .critical)
        #expect(round.scope == "/")
        #expect(round.answered == 1)
        #expect(round.state == .finished)
        #expect(Self.descriptors == before)
    }

    @Test("there is no rehearsal if the daemon can watch nothing")
    func nothing() throws {
        let kernel = try FakeKernel([:])
        #expect(Rehearsal.run(kernel.tree) == nil)
    }

    @Test("a daemon that has started releases its startup code once, and can rehearse again")
    func settling() throws {
        let daemon = try Daemon(
            configuration: Settings(),
            kernel: .live,
            sockets: ListeningSockets(native: ListeningSocket()),
            journal: Journal(socket: "/dev/null"),
            isService: false
        )
        defer { daemon.end() }
        let before = Self.descriptors
        daemon.scheduleShrinking()
        #expect(!daemon.hasSettled)
        daemon.shrink()
        #expect(daemon.hasSettled)
        #expect(!daemon.isShrinkingDue)
        #expect(Self.descriptors == before)
    }

    private static var descriptors: Int {
        (0..<1_024).count { fcntl($0, F_GETFD) >= 0 }
    }
}
