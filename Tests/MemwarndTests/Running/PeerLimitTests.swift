import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct PeerLimitTests {
    /// What starts a command with so many descriptors at most.
    static func limited(to count: Int) -> [String] {
        ["/bin/sh", "-c", "ulimit -n \(count) && exec \"$0\" \"$@\""]
    }

    @Test("newcomers beyond the limit are turned away, those who are there are served, and who leaves makes room")
    func limit() throws {
        // 512 are the daemon's own.
        let daemon = try DaemonProcess(wrapper: Self.limited(to: 512 + 20))
        let control = try RawPeer(daemon)
        var hosts = try (0..<19).map { try RawPeer(daemon, host: "host \($0)") }

        let late = try RawPeer(daemon)
        // Said before it could know, which must not hide the answer.
        _ = late.send(try Frame(sequence: 1, message: .hello(Hello(name: "late"))).encoded())
        let (sequence, refusal) = try late.refusal()
        #expect(sequence == 0)
        #expect(refusal == Refusal(code: .tooManyPeers, message: "there are 20 peers already"))
        #expect(try late.receive() == nil)

        try control.simulate(.patient(.warning))
        for host in hosts { try host.acknowledge(try host.warning().round) }
        #expect(try control.round().answered == 19)

        hosts.removeLast()
        try control.waitForHosts(18)
        let next = try RawPeer(daemon, host: "next")
        #expect(next.id == 20)
    }

    @Test("where the descriptors run out, newcomers wait until somebody leaves")
    func exhaustion() throws {
        let own = try DaemonProcess().descriptorCount()
        let daemon = try DaemonProcess(wrapper: Self.limited(to: own + 6))
        var hosts = try (0..<6).map { try RawPeer(daemon, host: "host \($0)") }
        let late = try RawPeer(daemon)
        try late.send(.hello(Hello(name: "late")))
        let line = try #require(daemon.log(containing: "refused a newcomer"))
        #expect(line.hasSuffix("Too many open files (errno 24)"))
        #expect(late.hasNews == false)

        hosts.removeFirst()
        guard case .welcome = try late.next().message else { throw Unexpected("no welcome") }
        // The others were there all the time.
        #expect(try late.hosts().map(\.name) == (1..<6).map { "host \($0)" } + ["late"])
    }
}
