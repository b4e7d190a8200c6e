import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct BroadcastTests {
    @Test func aSimulatedWarningIsMarkedAndItsRoundCountsTheAnswers() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "one")
        let control = try RawPeer(daemon)
        let running = try control.simulate(
            Simulate(level: .critical, bytesWanted: 1 << 20, deadline: 50_000),
            sequence: 4
        )
        #expect(running.state == .running)
        #expect(running.hosts == 1)

        let (round, warning) = try host.warning()
        #expect(round == running.id)
        let expected = Warning(
            level: .critical,
            options: [.simulated, .answerWanted],
            reason: .simulation,
            bytesWanted: 1 << 20,
            deadline: 50_000,
            scope: "/"
        )
        #expect(warning == expected)
        try host.acknowledge(round, released: 3 << 20, releasable: 42)

        let finished = try control.round(sequence: 4)
        #expect(finished.id == running.id)
        #expect(finished.state == .finished)
        #expect(finished.answered == 1)
        #expect(finished.released == 3 << 20)
        #expect(finished.residentFreed == 3 << 20)
        let record = try #require(try control.hosts().first)
        #expect(record.outcome == .answered)
        #expect(record.lastRound == round)
        #expect(record.releasable == 42)
        #expect(record.level == .normal, "a simulated level is not what the host's scope has")
    }

    @Test("only the targeted hosts are warned")
    func targets() throws {
        let daemon = try DaemonProcess()
        let hosts = try ["red", "green", "green"].map { try RawPeer(daemon, host: $0) }
        let control = try RawPeer(daemon)
        #expect(try control.simulate(.patient(.warning, to: .name("green"))).hosts == 2)
        for host in hosts[1...] { try host.acknowledge(try host.warning().round) }
        #expect(try control.round().answered == 2)

        #expect(try control.simulate(.patient(.critical, to: .pid(UInt32(getpid())))).hosts == 3)
        // The first warning that the first host receives belongs to the second round.
        for host in hosts { try host.acknowledge(try host.warning().round) }
        #expect(try control.round().answered == 3)

        for target in [Simulate.Target.name("blue"), .pid(1)] {
            try control.send(.simulate(.patient(.warning, to: target)), sequence: 3)
            let (sequence, refusal) = try control.refusal()
            #expect(sequence == 3)
            #expect(refusal.code == .noSuchHost)
        }
        // The daemon has not closed the connection because of that.
        #expect(try control.page(.rounds).records.count == 2)
    }

    @Test("a client that leaves after its request gets no answer, and no other client is affected")
    func requesterLeaves() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "one")
        try RawPeer(daemon).simulate(.patient(.warning))
        try host.acknowledge(try host.warning().round)
        let control = try RawPeer(daemon)
        guard case .round(let record)? = try control.page(.rounds).records.first else { throw Unexpected("no round") }
        #expect(record.answered <= 1)
        try control.simulate(.patient(.warning))
        try host.acknowledge(try host.warning().round)
        #expect(try control.round().answered == 1)
    }

    @Test(
        "two thousand hosts are warned, and all their answers are counted",
        .enabled(if: Descriptors.allow(2_500), "fewer than 2 500 descriptors may be open here (ulimit -Hn)")
    )
    func twoThousandHosts() throws {
        let count = 2_000
        let daemon = try DaemonProcess()
        let hosts = try (0..<count).map { try RawPeer(daemon, host: "host \($0)") }
        let control = try RawPeer(daemon)
        let running = try control.simulate(.patient(.critical))
        #expect(running.hosts == UInt32(count))
        for host in hosts {
            let (round, warning) = try host.warning()
            #expect(round == running.id && warning.level == .critical)
            try host.acknowledge(round, released: 1 << 20)
        }
        let finished = try control.round()
        #expect(finished.answered == UInt32(count))
        #expect(finished.silent == 0)
        #expect(finished.undeliverable == 0)
        #expect(finished.released == UInt64(count) << 20)
        #expect(hosts.allSatisfy { !$0.hasNews })
    }
}

/// The number of descriptors that this process may have open.
enum Descriptors {
    /// Raises the soft limit as far as possible, and returns whether `count` descriptors may be open.
    static func allow(_ count: UInt) -> Bool {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        return limit.rlim_max >= rlim_t(count)
    }
}
