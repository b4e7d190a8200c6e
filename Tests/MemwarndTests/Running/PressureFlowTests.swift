import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// The path from a reading to the hosts, with fake pressure.
///
/// These are exit tests because the process gives up root.
struct PressureFlowTests {
    /// The next scope record that an observer receives.
    static func scope(_ observer: RawPeer) throws -> ScopeRecord {
        while true { if case .scope(let record) = try observer.next().message { return record } }
    }

    static func observer(_ pressure: FakePressure) throws -> RawPeer {
        let observer = try RawPeer(path: pressure.socket)
        try observer.send(.subscribe, sequence: 1)
        _ = try observer.next()
        return observer
    }

    @Test("a cgroup's pressure reaches its own hosts, and its end reaches the hosts that were warned")
    func cgroup() async {
        await #expect(processExitsWith: .success) {
            let pressure = try FakePressure(cgroups: ["/a"])
            pressure.start()
            let bystander = try RawPeer(path: pressure.socket)
            try bystander.register("bystander")
            #expect(bystander.welcome?.scope == "/")
            try pressure.move(to: "/a")
            let host = try RawPeer(path: pressure.socket)
            try host.register("concerned")
            #expect(host.welcome?.scope == "/a")
            let observer = try PressureFlowTests.observer(pressure)

            try pressure.stall("/a")
            let (round, warning) = try host.warning()
            #expect(warning.level == .critical)
            #expect(warning.options == .answerWanted)
            #expect(warning.scope == "/a")
            #expect(warning.reason.source == .someStall)
            while try PressureFlowTests.scope(observer).level < .critical {}

            // The pressure ends before the host has answered: the relief waits for the answer.
            #expect(try PressureFlowTests.scope(observer).level == .normal)
            #expect(host.hasNews == false)
            try host.acknowledge(round)
            let relief = try host.warning()
            #expect(relief.warning.level == .normal)
            #expect(relief.warning.options == [])
            #expect(relief.warning.scope == "/a")
            #expect(bystander.hasNews == false)
        }
    }

    @Test("a host that is busy with a simulation receives a real warning at once")
    func busyHost() async {
        await #expect(processExitsWith: .success) {
            let pressure = try FakePressure(cgroups: ["/a"])
            pressure.start()
            try pressure.move(to: "/a")
            let host = try RawPeer(path: pressure.socket)
            try host.register("busy")
            let observer = try PressureFlowTests.observer(pressure)
            try RawPeer(path: pressure.socket).simulate(.patient(.warning))
            let (simulated, _) = try host.warning()

            try pressure.stall("/a")
            let (round, warning) = try host.warning()
            #expect(warning.level == .critical && warning.options == .answerWanted)
            while try PressureFlowTests.scope(observer).level < .critical {}
            #expect(try PressureFlowTests.scope(observer).level == .normal)
            try host.acknowledge(simulated)
            try host.acknowledge(round)
            #expect(try host.warning().warning.level == .normal)
        }
    }

    @Test("a host that registers under pressure gets the level in its welcome, and is relieved like the others")
    func latecomer() async {
        await #expect(processExitsWith: .success) {
            let pressure = try FakePressure(cgroups: ["/a"])
            pressure.start()
            let early = try RawPeer(path: pressure.socket)
            try early.register("early")
            try pressure.move(to: "/a")
            try pressure.stall("/")
            let (round, warning) = try early.warning()
            #expect(warning.level == .critical && warning.scope == "/")
            // The level lasts as long as the stall.
            var late: RawPeer?
            for _ in 0..<200 where late == nil {
                try pressure.stall("/")
                let peer = try RawPeer(path: pressure.socket)
                try peer.register("late")
                if peer.welcome?.level == .critical { late = peer }
            }
            // The host's own cgroup is calm. The level comes from the whole machine.
            let relieved = try #require(late, "the level did not last")
            #expect(relieved.welcome?.scope == "/a")
            while true {
                let (_, warning) = try relieved.warning()
                if warning.level == .normal { break }
            }
            try early.acknowledge(round)
            while try early.warning().warning.level != .normal {}
        }
    }

    @Test("the hosts of a cgroup that vanishes move to the machine's scope, and can also leave from there")
    func vanishing() async {
        await #expect(processExitsWith: .success) {
            let pressure = try FakePressure(cgroups: ["/a"])
            pressure.start()
            try pressure.move(to: "/a")
            var homeless: RawPeer? = try RawPeer(path: pressure.socket)
            try homeless?.register("homeless")
            try pressure.move(to: "/")
            let settled = try RawPeer(path: pressure.socket)
            try settled.register("settled")
            let observer = try PressureFlowTests.observer(pressure)

            try pressure.remove("/a")
            // The cgroup's files may have been opened after the observer subscribed.
            var gone = try PressureFlowTests.scope(observer)
            while gone.state != .gone { gone = try PressureFlowTests.scope(observer) }
            #expect(gone.path == "/a")
            let hosts = try settled.hosts()
            #expect(hosts.map(\.name) == ["homeless", "settled"])
            #expect(hosts.map(\.scope) == ["/", "/"])

            try pressure.stall("/")
            for host in [try #require(homeless), settled] {
                let (round, warning) = try host.warning()
                #expect(warning.level == .critical)
                try host.acknowledge(round)
                #expect(try host.warning().warning.level == .normal)
            }

            // This is the older host, and was inserted into a list that is sorted by age.
            homeless = nil
            try settled.waitForHosts(1)
            try pressure.stall("/")
            try settled.acknowledge(try settled.warning().round)
            #expect(try settled.warning().warning.level == .normal)
        }
    }

    @Test("if a cgroup vanishes during a round, its answers still count, and its hosts are told that pressure is over")
    func vanishingInARound() async {
        await #expect(processExitsWith: .success) {
            let pressure = try FakePressure(cgroups: ["/a"])
            pressure.start()
            try pressure.move(to: "/a")
            let host = try RawPeer(path: pressure.socket)
            try host.register("concerned")
            let observer = try PressureFlowTests.observer(pressure)
            try pressure.stall("/a")
            let (round, warning) = try host.warning()
            #expect(warning.scope == "/a")
            while try PressureFlowTests.scope(observer).level < .critical {}

            try pressure.move(to: "/")
            try pressure.remove("/a")
            while try PressureFlowTests.scope(observer).state == .present {}
            try host.acknowledge(round)
            let relief = try host.warning()
            #expect(relief.warning.level == .normal)
            #expect(relief.warning.scope == "/")
            while true {
                guard case .round(let record) = try observer.next().message, record.id == round else { continue }
                #expect(record.answered == 1)
                #expect(record.state == .finished)
                break
            }
        }
    }
}
