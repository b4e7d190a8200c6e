import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct LeakTests {
    @Test(
        "a thousand clients leave no descriptor open, whether they registered, misbehaved or subscribed",
        .enabled(if: FakeCgroups.missing == nil, "\(FakeCgroups.missing ?? "")")
    )
    func descriptors() throws {
        let cgroups = try FakeCgroups(["/", "/visitors"])
        try cgroups.move(getpid(), to: "/visitors")
        let daemon = try DaemonProcess(options: ["--kernel-root", cgroups.kernel.path("")])
        let control = try RawPeer(daemon)
        try control.waitForHosts(0)
        // The pipe to the thread that closes descriptors; two pipes each for the threads that find processes and open cgroup files.
        let before = try daemon.descriptorCount() + 2 + 4 + 4
        do {
            let resident = try RawPeer(daemon, host: "resident")
            #expect(resident.welcome?.scope == "/visitors")
            // A thread opens the cgroup's files; the host may get its welcome before that is done.
            try control.waitForWatching(of: "/visitors")
            for index in 0..<1_000 { try Self.visit(daemon, index) }
        }
        // From here on each visitor leaves the cgroup without a host.
        for index in 0..<40 {
            try control.waitForHosts(0)
            try Self.visit(daemon, index)
        }
        // This request arrives after the last hang-up, and the daemon handles each hang-up in turn.
        try control.waitForHosts(0)
        // The daemon watches a cgroup without hosts for a few more seconds.
        let end = ContinuousClock.now + .seconds(20)
        var after = try daemon.descriptorCount()
        while after != before, ContinuousClock.now < end { after = try daemon.descriptorCount() }
        #expect(try control.page(.scopes).records.count == 1)
        #expect(after == before)
    }

    private static func visit(_ daemon: DaemonProcess, _ index: Int) throws {
        let peer = try RawPeer(daemon)
        switch index % 4 {
        case 0, 1: try peer.register("visitor")
        case 2:
            peer.send([UInt8](repeating: 0xff, count: 20))
            _ = try peer.refusal()
        default:
            try peer.send(.subscribe)
            _ = try peer.next()
        }
    }
}
