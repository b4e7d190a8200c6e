import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

@testable import memwarnd

/// The daemon ends, and the next one continues from its state.
struct RestartTests {
    @Test("a daemon that is killed during a round returns with its hosts, and ignores answers to that round")
    func kill() throws {
        let manager = try ServiceManager()
        try manager.start()
        let prompt = try manager.host("prompt")
        let slow = try manager.host("slow")
        let visitor = try manager.peer()
        try visitor.simulate(.patient(.warning))
        let (dead, _) = try prompt.warning()
        manager.end(SIGKILL)
        // No daemon is running to read this answer.
        try prompt.acknowledge(dead, released: 1)
        #expect(prompt.hasNews == false)
        #expect(try visitor.receive() == nil)

        try manager.start()
        let welcome = try prompt.nextWelcome()
        #expect(welcome.hostID == prompt.id)
        #expect(welcome.level == .normal)
        let control = try manager.peer()
        let hosts = try control.hosts()
        #expect(hosts.map(\.id) == [prompt.id, slow.id])
        #expect(hosts.map(\.name) == ["prompt", "slow"])
        #expect(hosts.map(\.pid) == [UInt32(getpid()), UInt32(getpid())])
        #expect(hosts.map(\.outcome) == [.none, .none])

        try control.simulate(.patient(.critical))
        let (round, warning) = try prompt.warning()
        #expect(round > dead)
        #expect(warning.level == .critical)
        try prompt.acknowledge(round, released: 2)
        // The slow host has not even read the first warning, and answers it now.
        #expect(try slow.warning().round == dead)
        try slow.acknowledge(dead, released: 4)
        #expect(try slow.nextWelcome().hostID == slow.id)
        #expect(try slow.warning().round == round)
        try slow.acknowledge(round, released: 8)
        let record = try control.round()
        #expect(record.answered == 2)
        #expect(record.released == 10)
        #expect(try manager.host("newcomer").id == 3)
    }

    @Test("a restarted daemon keeps every host's connection")
    func terminate() throws {
        let manager = try ServiceManager()
        try manager.start()
        let host = try manager.host("host")
        for _ in 0..<2 {
            manager.end(SIGTERM)
            #expect(host.hasNews == false)
            try manager.start()
            #expect(try host.nextWelcome().hostID == host.id)
            #expect(manager.daemon?.line { $0.contains("took over 1 of the 1 host of an earlier daemon") } != nil)
        }
        let control = try manager.peer()
        try control.simulate(.patient(.warning))
        try host.acknowledge(try host.warning().round)
        #expect(try control.round().answered == 1)
        // Each host is stored once, however often it is taken over.
        manager.notices.drain()
        #expect(manager.notices.kept.map(\.name).sorted() == ["host-1", "hosts", "state"])
    }

    @Test("a host that uses the library does not notice that the daemon was killed, and answers the next one")
    func library() throws {
        let manager = try ServiceManager()
        try manager.start()
        let gallery = try ChildProcess(
            "gallery",
            ["--socket", manager.socket, "--pictures", "2", "--mib", "1", "--cache-mib", "1"]
        )
        try #require(gallery.line(startingWith: "origin daemon") != nil)
        manager.end(SIGKILL)
        try manager.start()
        let control = try manager.peer()
        try control.simulate(.patient(.critical))
        var lines: [String] = []
        let released = gallery.line { line in
            lines.append(line)
            return line.hasPrefix("released")
        }
        #expect(released != nil)
        #expect(lines.contains { $0.hasPrefix("warning critical (simulated)") })
        #expect(!lines.contains { $0.hasPrefix("origin") })
        #expect(try control.round().answered == 1)
    }

    @Test(
        "a scope starts at its last level, and its hosts are told the level",
        .enabled(if: FakeCgroups.missing == nil, "\(FakeCgroups.missing ?? "")")
    )
    func levels() throws {
        let cgroups = try FakeCgroups(["/"])
        func setAvailable(_ kibibytes: Int) throws {
            try cgroups.kernel.set("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: \(kibibytes) kB\n")
        }
        let manager = try ServiceManager("[levels]\ndwell = \"1h\"\nrepeat = \"1h\"\n")
        let options = ["--kernel-root", cgroups.kernel.path("")]
        try manager.start(options: options)
        let host = try manager.host("host")
        #expect(host.welcome?.level == .normal)
        try setAvailable(1_000)
        // The daemon does not sample a calm scope that is far from its limits. A restart makes this one begin close to them.
        manager.end(SIGTERM)
        try manager.start(options: options)
        #expect(try host.nextWelcome().level == .normal)
        #expect(try host.warning().warning.level == .critical)
        _ = try manager.notice { $0.hasPrefix("STATUS=critical") }
        #expect(try manager.state()?.levels == ["/": .critical])

        manager.end(SIGKILL)
        try setAvailable(900_000)
        try manager.start(options: options)
        #expect(try host.nextWelcome().level == .critical)
        #expect(try manager.host("latecomer").welcome?.level == .critical)
    }

    @Test("the numbers of hosts continue, even if no numbered host is left")
    func hostNumbers() throws {
        let manager = try ServiceManager()
        try manager.notices.keep(DaemonState.name, files: [DaemonState(lastHost: 7).encoded])
        try manager.start()
        #expect(try manager.host("host").id == 8)
        #expect(try manager.state() == DaemonState(lastHost: 7))
    }

    @Test func theStatusCountsTheRoundsSinceTheStart() throws {
        let manager = try ServiceManager()
        try manager.start()
        let host = try manager.host("host")
        let control = try manager.peer()
        try control.simulate(.patient(.warning))
        try host.acknowledge(try host.warning().round)
        _ = try manager.notice { $0.hasPrefix("STATUS=normal; 1 host, 1 round") }
    }

    @Test("the numbers of rounds continue, even if the former daemon left no state")
    func roundNumbers() throws {
        var numbers: [UInt64] = []
        for _ in 0..<3 {
            let daemon = try DaemonProcess()
            let (host, control) = try (RawPeer(daemon, host: "host"), RawPeer(daemon))
            for _ in 0..<3 {
                numbers.append(try control.simulate(.patient(.warning)).id)
                try host.acknowledge(try host.warning().round)
                _ = try control.round()
            }
            #expect(daemon.terminate() == 0)
        }
        #expect(numbers == Set(numbers).sorted())
    }

    @Test("a host that leaves is forgotten, even if it left while no daemon was running")
    func leaving() throws {
        let manager = try ServiceManager()
        try manager.start()
        var hosts = try (1...3).map { try manager.host("host \($0)") }
        try manager.notices.waitUntilKept { $0.contains("host-3") }
        hosts.remove(at: 1)
        try manager.notices.waitUntilKept { !$0.contains("host-2") }
        manager.end(SIGKILL)
        hosts.remove(at: 0)
        try manager.start()
        try manager.notices.waitUntilKept { !$0.contains("host-1") }
        #expect(try manager.peer().hosts().map(\.id) == [3])
    }

    @Test("the connection of a disconnected host ends, although the service manager has a duplicate")
    func refusal() throws {
        let manager = try ServiceManager()
        try manager.start()
        let host = try manager.host("rude")
        try manager.notices.waitUntilKept { $0.contains("host-1") }
        host.send([UInt8](repeating: 0xff, count: 20))
        _ = try host.refusal()
        #expect(try host.receive() == nil)
        try manager.notices.waitUntilKept { !$0.contains("host-1") }
    }

    @Test("a thousand hellos and reconnects send the service manager only one status a second")
    func reconnects() throws {
        let manager = try ServiceManager()
        try manager.start(patience: nil)
        let stay = try (0..<10).map { try manager.host("stays \($0)") }
        let start = MonotonicInstant.now
        var messages = 0
        for number in 0..<1_000 {
            _ = try manager.host("reconnects \(number)")
            while let text = manager.notices.hear(within: 0) {
                #expect(text.hasPrefix("STATUS="))
                messages += 1
            }
        }
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        #expect(messages <= seconds + 2, "\(messages) messages in \(seconds) s")
        #expect(manager.notices.kept.map(\.name) == ["hosts", "state"])
        withExtendedLifetime(stay) {}
    }

    @Test("a host that was not stored yet reconnects by itself and gets another number")
    func notStoredYet() throws {
        let manager = try ServiceManager()
        try manager.start(patience: nil)
        let gallery = try ChildProcess(
            "gallery",
            ["--socket", manager.socket, "--pictures", "2", "--mib", "1", "--cache-mib", "1"]
        )
        try #require(gallery.line(startingWith: "origin daemon") != nil)
        let first = try #require(try manager.peer().hosts().first)
        manager.end(SIGKILL)
        #expect(manager.notices.kept.map(\.name) == ["hosts", "state"])
        try manager.start(patience: nil)
        try #require(gallery.line(startingWith: "origin daemon") != nil)
        let second = try #require(try manager.peer().hosts().first)
        #expect(second.name == first.name)
        #expect(second.id > first.id)
    }

    @Test("a client of the pressure socket is stored at once, and the next daemon warns it")
    func pressureClient() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pressure.sock"
        let manager = try ServiceManager(DaemonProcess.deaf + "[doors]\npressure-socket = \"\(path)\"\n")
        try manager.start(patience: nil)
        let client = try PressureClient(path: path)
        try manager.notices.waitUntilKept { $0.contains("host-1") }
        #expect(manager.notices.kept.map(\.name).sorted() == ["host-1", "hosts", "state"])
        manager.end(SIGKILL)
        try manager.start(patience: nil)
        #expect(!client.hasNews)
        try manager.peer().simulate(.patient(.warning))
        #expect(try client.warnings() > 0)
    }

    @Test("a daemon that is killed before the service manager stores its hosts gives no host another's registration")
    func killedInBetween() throws {
        let manager = try ServiceManager()
        try manager.start()
        let first = try manager.host("first")
        try manager.notices.waitUntilKept { $0.contains("host-1") }
        // The file has the last two hosts, but the store does not have their connections.
        let others = try (2...3).map { try manager.host("host \($0)") }
        manager.end(SIGKILL)
        for name in ["host-2", "host-3"] { manager.notices.forget(name) }
        try manager.start()
        #expect(try first.nextWelcome().hostID == 1)
        let fourth = try manager.host("fourth")
        #expect(fourth.id == 4)
        #expect(try manager.peer().hosts().map(\.name) == ["first", "fourth"])
        for other in others { #expect(try other.receive() == nil) }
    }

    @Test("after 50 starts that trap, the next daemon has its hosts and registers the waiting clients")
    func traps() throws {
        let manager = try ServiceManager()
        try manager.start()
        let host = try manager.host("host")
        manager.end(SIGILL)
        for _ in 0..<50 {
            try manager.start()
            // Otherwise its socket would be full after some starts.
            _ = try host.nextWelcome()
            manager.end(SIGILL)
        }
        let newcomer = try manager.peer()
        try newcomer.send(.hello(Hello(name: "newcomer")), sequence: 1)
        try manager.start()
        try newcomer.waitForHosts(2)
        try manager.peer().simulate(Simulate(level: .critical, target: .all, bytesWanted: 0, deadline: 1_000))
        for peer in [host, newcomer] {
            var frame = try peer.next()
            while case .welcome = frame.message { frame = try peer.next() }
            guard case .warning(let warning) = frame.message else { throw Unexpected("\(frame) is no warning") }
            #expect(warning.level == .critical)
        }
    }
}
