import Foundation
import MemoryPressure
import MemwarnProtocol
import Synchronization
import TestSupport
import Testing

/// Hosts that die, hang or flood do not affect any other peer.
///
/// The tests check the order of events and not their time: the other hosts' warnings and answers arrive before the round's deadline
/// ends it.
struct HostileHostTests {
    /// A host in its own process, so that a test can stop or kill it.
    static func gallery(_ daemon: DaemonProcess, name: String) throws -> ChildProcess {
        let options = ["--name", name, "--socket", daemon.socket, "--pictures", "1", "--mib", "1", "--cache-mib", "0"]
        return try ChildProcess("gallery", options)
    }

    /// Stops a process, and returns when it has stopped.
    static func stop(_ process: ChildProcess) throws {
        process.send(SIGSTOP)
        var status: CInt = 0
        try #require(waitpid(process.pid, &status, WUNTRACED) == process.pid)
        try #require(status & 0xff == 0x7f, "the process ended instead of stopping")
    }

    @Test func aStoppedHostIsCountedSilentAndDelaysNoOtherHost() throws {
        let daemon = try DaemonProcess()
        let stopped = try Self.gallery(daemon, name: "stopped")
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        try Self.stop(stopped)
        let others = try (0..<20).map { try RawPeer(daemon, host: "other \($0)") }

        let running = try control.simulate(Simulate(level: .critical, deadline: 3_000))
        #expect(running.hosts == 21)
        for other in others { try other.acknowledge(try other.warning().round) }
        // The daemon counts the answers one by one. The round ends only when the deadline has passed.
        var answered = 0
        while answered < 20, !control.hasNews {
            answered = try others[0].hosts().count { $0.outcome == .answered }
        }
        #expect(answered == 20, "the others waited for the stopped host")

        let finished = try control.round()
        #expect(finished.answered == 20)
        #expect(finished.silent == 1)
        #expect(finished.duration >= 3_000_000)
        let record = try #require(try control.hosts().first { $0.name == "stopped" })
        #expect(record.outcome == .silent)

        // The host continues, and is warned again.
        stopped.send(SIGCONT)
        try control.simulate(.patient(.warning, to: .name("stopped")))
        #expect(try control.round().answered == 1)
    }

    @Test func theWaitForAHostThatIsKilledDuringARoundEnds() throws {
        let daemon = try DaemonProcess()
        let killed = try Self.gallery(daemon, name: "killed")
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        try Self.stop(killed)
        let other = try RawPeer(daemon, host: "other")
        try control.simulate(.patient(.critical))
        try other.acknowledge(try other.warning().round)
        killed.send(SIGKILL)
        let finished = try control.round()
        #expect(finished.answered == 1)
        #expect(finished.silent == 1)
        #expect(try control.hosts().map(\.name) == ["other"])
    }

    @Test func aHostThatIsKilledBetweenRoundsIsForgotten() throws {
        let daemon = try DaemonProcess()
        let killed = try Self.gallery(daemon, name: "killed")
        let other = try RawPeer(daemon, host: "other")
        let control = try RawPeer(daemon)
        try control.waitForHosts(2)
        killed.send(SIGKILL)
        try control.waitForHosts(1)
        #expect(try control.simulate(.patient(.critical)).hosts == 1)
        try other.acknowledge(try other.warning().round)
        #expect(try control.round().answered == 1)
    }

    @Test("a host that floods the daemon is disconnected, and the others are served meanwhile")
    func flood() throws {
        let daemon = try DaemonProcess()
        let others = try (0..<20).map { try RawPeer(daemon, host: "other \($0)") }
        let control = try RawPeer(daemon)
        let socket = daemon.socket
        let refused = Flood(socket: socket)
        try control.waitForHosts(21)
        refused.begin()
        let running = try control.simulate(.patient(.critical))
        for other in others { try other.acknowledge(try other.warning().round) }
        let code = try refused.end()
        #expect(code == .tooManyPeers)

        let finished = try control.round()
        #expect(finished.answered == 20)
        // The peer was still a host when the round began, or no longer was; it has not answered.
        #expect(finished.silent + finished.undeliverable == running.hosts - 20)
        #expect(try control.hosts().allSatisfy { $0.outcome == .answered })
        #expect(try control.hosts().count == 20)
    }

    /// A host on its own thread that registers, and then, on request, sends answers as fast as it can.
    private final class Flood: Sendable {
        private let start = DispatchSemaphore(value: 0)
        private let done = DispatchSemaphore(value: 0)
        private let result = Mutex<Result<Refusal.Code, any Error>?>(nil)

        init(socket: String) {
            Thread.detachNewThread { [self] in
                let outcome = Result { try flood(socket) }
                result.withLock { $0 = outcome }
                done.signal()
            }
        }

        func begin() { start.signal() }

        /// The code of the refusal that ended the connection.
        func end() throws -> Refusal.Code? {
            try #require(done.wait(timeout: .now() + 20) == .success, "the flood went on")
            return try result.withLock { try $0?.get() }
        }

        private func flood(_ socket: String) throws -> Refusal.Code {
            let peer = try RawPeer(path: socket)
            try peer.register("flood")
            start.wait()
            let packet = try Frame(sequence: 9_999, message: .acknowledgement(.claiming(1))).encoded()
            while true {
                switch peer.send(packet) {
                case .sent: continue
                case .full, .short: peer.waitForRoom()
                case .closed:
                    // The daemon's last frames before it closed. A warning may come before the refusal.
                    while let frame = try peer.receive() {
                        if case .error(let refusal) = frame.message { return refusal.code }
                    }
                    throw Unexpected("the daemon closed without a word")
                }
            }
        }
    }

    @Test("a host that does not read is undeliverable once its socket is full, and recovers when it reads")
    func deaf() throws {
        let daemon = try DaemonProcess()
        let deaf = try RawPeer(daemon, host: "deaf")
        let other = try RawPeer(daemon, host: "other")
        let control = try RawPeer(daemon)
        // The host sends queries and does not read. When the answers fill its queue, the daemon stops reading from it.
        let question = try Frame(sequence: 1, message: .query(Query(section: .daemon))).encoded()
        var asked = 0
        var isTaken = true
        while isTaken {
            isTaken = false
            while deaf.send(question) == .sent {
                asked += 1
                isTaken = true
            }
            // Peers take turns: between two answers to this client the daemon would read a query of the other.
            for _ in 0..<3 { _ = try control.page(.daemon) }
        }
        let lost = try control.simulate(.patient(.warning, to: .name("deaf")))
        #expect(lost.state == .finished)
        #expect(lost.undeliverable == 1)
        try control.simulate(.patient(.warning, to: .name("other")))
        try other.acknowledge(try other.warning().round)
        #expect(try control.round().answered == 1)

        // Each query still gets its answer and an end.
        for _ in 0..<2 * asked { _ = try deaf.next() }
        try control.simulate(.patient(.warning, to: .name("deaf")))
        try deaf.acknowledge(try deaf.warning().round)
        #expect(try control.round().answered == 1)
    }
}
