import Foundation
import MemoryPressure
import MemwarnProtocol
import Synchronization
import TestSupport
import Testing

/// Hosts that die, hang or flood cost nobody else anything.
///
/// That is asserted by order and not by time: what the others get and answer is there before the round's deadline has
/// made it end.
struct HostileHostTests {
    /// A host in a process of its own, for what a test does to processes.
    static func gallery(_ daemon: DaemonProcess, name: String) throws -> ChildProcess {
        let options = ["--name", name, "--socket", daemon.socket, "--pictures", "1", "--mib", "1", "--cache-mib", "0"]
        return try ChildProcess("gallery", options)
    }

    /// Stops a process, and returns when it stands still.
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
        // The answers are taken in one by one; the round is over only when the deadline has passed.
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

        // It goes on, and is asked again.
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
        // It was a host when the round began, or it was not any more; answered it has not.
        #expect(finished.silent + finished.undeliverable == running.hosts - 20)
        #expect(try control.hosts().allSatisfy { $0.outcome == .answered })
        #expect(try control.hosts().count == 20)
    }

    /// A host on a thread of its own that registers and then, when told to, sends answers as fast as it can.
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

        /// The code of the refusal that ended it.
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
                case .full: peer.waitForRoom()
                case .closed:
                    // What the daemon said before it closed; a warning may have come first.
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
        // It asks and does not read: the answers fill its queue, and then the daemon takes nothing more from it.
        let question = try Frame(sequence: 1, message: .query(Query(section: .daemon))).encoded()
        var asked = 0
        var isTaken = true
        while isTaken {
            isTaken = false
            while deaf.send(question) == .sent {
                asked += 1
                isTaken = true
            }
            // Peers have turns: between two answers to this one the daemon would take a question of the other.
            for _ in 0..<3 { _ = try control.page(.daemon) }
        }
        let lost = try control.simulate(.patient(.warning, to: .name("deaf")))
        #expect(lost.state == .finished)
        #expect(lost.undeliverable == 1)
        try control.simulate(.patient(.warning, to: .name("other")))
        try other.acknowledge(try other.warning().round)
        #expect(try control.round().answered == 1)

        // Each question has its answer and an end all the same.
        for _ in 0..<2 * asked { _ = try deaf.next() }
        try control.simulate(.patient(.warning, to: .name("deaf")))
        try deaf.acknowledge(try deaf.warning().round)
        #expect(try control.round().answered == 1)
    }
}
