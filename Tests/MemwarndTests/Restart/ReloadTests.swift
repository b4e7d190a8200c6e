import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// The daemon reloads its configuration while it runs.
struct ReloadTests {
    private static func configuration(deadline: String) -> String {
        DaemonProcess.deaf + "[rounds]\ndeadline = \(deadline)\n"
    }

    /// Reloads the configuration and returns the notice that reports it.
    private static func reload(_ manager: ServiceManager) throws -> String {
        manager.notices.drain()
        manager.daemon?.send(SIGHUP)
        let reloading = try manager.notice { $0.hasPrefix("RELOADING=1") }
        let start = "RELOADING=1\nMONOTONIC_USEC="
        #expect(reloading.hasPrefix(start))
        let time = try #require(UInt64(reloading.dropFirst(start.count)))
        let now = MonotonicInstant.now.nanoseconds / 1000
        #expect(now - 20_000_000...now ~= time)
        return try manager.notice { $0.hasPrefix("READY=1") }
    }

    /// The deadline of the next warning, in milliseconds.
    private static func deadline(_ manager: ServiceManager, _ host: RawPeer) throws -> UInt32 {
        try manager.peer().simulate(Simulate(level: .warning, target: .all, bytesWanted: 0, deadline: 0))
        let (round, warning) = try host.warning()
        try host.acknowledge(round)
        return warning.deadline
    }

    /// The number of configurations that took effect, and of those that were refused.
    private static func counters(_ manager: ServiceManager) throws -> [UInt64] {
        guard case .counters(let record)? = try manager.peer().page(.counters).records.first else { return [] }
        return [record.reloads, record.failedReloads]
    }

    @Test("a new configuration takes effect at once, and the hosts stay")
    func reload() throws {
        let manager = try ServiceManager(Self.configuration(deadline: "\"70s\""))
        try manager.start()
        let host = try manager.host("host")
        #expect(try Self.deadline(manager, host) == 70_000)
        try manager.configure(Self.configuration(deadline: "\"90s\""))
        #expect(try Self.reload(manager) == "READY=1\nSTATUS=normal; 1 host, 1 round")
        #expect(try Self.deadline(manager, host) == 90_000)
        #expect(manager.daemon?.line { $0.contains("the configuration was read again: /") } != nil)
    }

    @Test("a refused configuration changes nothing, and is reported until one is accepted")
    func refusal() throws {
        let manager = try ServiceManager(Self.configuration(deadline: "\"70s\""))
        try manager.start()
        let host = try manager.host("host")
        try manager.configure(Self.configuration(deadline: "70"))
        let notice = try Self.reload(manager)
        let start = "READY=1\nSTATUS=normal; 1 host, 0 rounds; the configuration is refused, the old one stays: /"
        #expect(notice.hasPrefix(start))
        #expect(notice.contains(": rounds.deadline: expected a duration"))
        let line = manager.daemon?.line { $0.contains("the configuration stays as it was: ") }
        #expect(line?.contains(": rounds.deadline: expected a duration") == true)
        #expect(try Self.deadline(manager, host) == 70_000)
        // Every status reports it.
        let another = try manager.host("another")
        #expect(try manager.notice { $0.hasPrefix("STATUS=normal; 2 hosts") }.contains("the configuration is refused"))
        #expect(try Self.counters(manager) == [0, 1])

        try manager.configure(Self.configuration(deadline: "\"90s\""))
        #expect(try Self.reload(manager) == "READY=1\nSTATUS=normal; 2 hosts, 1 round")
        #expect(try Self.counters(manager) == [1, 1])
        withExtendedLifetime(another) {}
    }

    @Test("every status reports a file that was left out at the start")
    func leftOut() throws {
        let manager = try ServiceManager(Self.configuration(deadline: "70"))
        try manager.start()
        let host = try manager.host("host")
        let status = try manager.notice { $0.hasPrefix("STATUS=normal; 1 host") }
        #expect(status.contains("; a file of the configuration is left out as a whole: /"))
        #expect(status.contains("rounds.deadline: expected a duration"))
        try manager.configure(Self.configuration(deadline: "\"90s\""))
        #expect(try Self.reload(manager) == "READY=1\nSTATUS=normal; 1 host, 0 rounds")
        #expect(try Self.deadline(manager, host) == 90_000)
    }

    @Test(
        "configured cgroups are watched from the start, and other ones after a reload",
        .enabled(if: FakeCgroups.missing == nil, "\(FakeCgroups.missing ?? "")")
    )
    func cgroups() throws {
        let cgroups = try FakeCgroups(["/", "/a", "/b"])
        let manager = try ServiceManager("[sensors]\ncgroups = [\"/a*\"]\n" + DaemonProcess.deaf)
        try manager.start(options: ["--kernel-root", cgroups.kernel.path("")])
        let observer = try manager.peer()
        func paths() throws -> [String] {
            try observer.page(.scopes).records.compactMap { if case .scope(let scope) = $0 { scope.path } else { nil } }
        }
        #expect(try paths() == ["/", "/a"])
        try observer.send(.subscribe, sequence: 1)
        _ = try observer.next()
        try manager.configure("[sensors]\ncgroups = [\"/b\"]\n" + DaemonProcess.deaf)
        _ = try Self.reload(manager)
        let present = try PressureFlowTests.scope(observer)
        #expect(present.path == "/b" && present.state == .present)
        // The scope is reported again when its files are open.
        while true {
            let next = try PressureFlowTests.scope(observer)
            if next.path == "/b" { continue }
            #expect(next.path == "/a" && next.state == .gone)
            break
        }
        #expect(try paths() == ["/", "/b"])
    }

    @Test("settings that cannot change while the daemon runs are reported at each reload")
    func fixed() throws {
        let manager = try ServiceManager()
        try manager.start()
        try manager.configure("socket = \"/elsewhere\"\n" + DaemonProcess.deaf)
        for _ in 0..<2 {
            _ = try Self.reload(manager)
            let line = manager.daemon?.line { $0.contains("cannot change") }
            #expect(line?.hasSuffix("socket cannot change while the daemon runs; restart it") == true)
            let record = try manager.peer().page(.daemon).records.first
            guard case .daemon(let daemon)? = record else { throw Unexpected("no record of the daemon") }
            #expect(daemon.refusal == "the daemon does not use socket until it is restarted")
        }
    }

    @Test("a daemon without a service manager can also reload its configuration")
    func withoutManager() throws {
        let daemon = try DaemonProcess()
        daemon.process.send(SIGHUP)
        #expect(daemon.log(containing: "the configuration was read again: /") != nil)
        _ = try RawPeer(daemon, host: "still here")
    }
}
