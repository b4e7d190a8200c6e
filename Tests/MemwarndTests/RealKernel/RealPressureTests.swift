import CLinux
import Foundation
import TestSupport
import Testing

/// A real daemon, real hosts, and stalls that the real kernel counts.
///
/// The tests run one at a time, because they stall the machine that they measure.
@Suite(.serialized, .enabled(if: RealPressure.missing == nil, "\(RealPressure.missing ?? "")"))
struct RealPressureTests {
    private let directory: TemporaryDirectory
    private let socket: String
    private let configuration: String

    init() throws {
        directory = try TemporaryDirectory()
        socket = directory.path + "/memwarnd.sock"
        configuration = directory.path + "/memwarnd.toml"
        try directory.write("[levels]\ndwell = \"2s\"\n", to: "memwarnd.toml")
    }

    private func startDaemon() throws -> ChildProcess {
        let daemon = try ChildProcess("memwarnd", ["run", "--socket", socket, "--config", configuration])
        try #require(daemon.line { $0.contains("listens on") } != nil)
        return daemon
    }

    private func startGallery(
        _ name: String,
        in group: PressureGroup? = nil,
        visits: Bool = false
    ) throws -> ChildProcess {
        var arguments = ["--socket", socket, "--name", name, "--pictures", "4", "--mib", "8", "--cache-mib", "8"]
        if visits { arguments += ["--visit-ms", "50"] }
        let gallery = try ChildProcess("gallery", arguments, cgroups: group?.directories ?? [])
        try #require(gallery.line(startingWith: "ready") != nil)
        try #require(gallery.line(startingWith: "origin daemon") != nil)
        return gallery
    }

    private func resident(_ process: ChildProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.split(separator: " ")[1])) / 1024
    }

    @Test("a stall that the kernel counts reaches a host, which releases its memory and loads it again")
    func theWholeWay() throws {
        let group = try PressureGroup("whole-way", limit: 96)
        let daemon = try startDaemon()
        let gallery = try startGallery("gallery", in: group, visits: true)
        let before = try resident(gallery)
        let thrash = try group.thrash(seconds: 6)

        let warning = try #require(gallery.line(startingWith: "warning", within: 15))
        #expect(warning.contains(" for /"), "the host is warned for its own cgroup: \(warning)")
        #expect(gallery.line(startingWith: "released") != nil)
        let after = try resident(gallery)
        // Three of four pictures of 8 MiB each, and at least half of the cache.
        #expect(before - after >= 26, "\(before) MiB before, \(after) MiB after")
        #expect(daemon.line(within: 5) { $0.contains("1 answered, 0 silent") } != nil)

        thrash.send(SIGKILL)
        _ = thrash.wait()
        #expect(gallery.line(startingWith: "level normal") != nil)
        #expect(gallery.line { $0.contains("loaded again") } != nil)
        gallery.stop()
        daemon.stop()
    }

    @Test("of two hosts in two cgroups, only the one under pressure gets a warning for its own scope")
    func twoCgroups() throws {
        let stalled = try PressureGroup("stalled", limit: 96)
        let calm = try PressureGroup("calm", limit: 512)
        let daemon = try startDaemon()
        let first = try startGallery("stalled", in: stalled)
        let second = try startGallery("calm", in: calm)
        let thrash = try stalled.thrash(seconds: 6)

        // The stalls also count for the whole machine. If that scope warns first, this host receives both warnings.
        #expect(first.line(within: 15) { $0.hasPrefix("warning") && $0.contains("-stalled:") } != nil)
        thrash.send(SIGKILL)
        _ = thrash.wait()
        #expect(first.line(startingWith: "level normal") != nil)

        // A simulated warning takes the same path, so an earlier warning would be read before it.
        let simulation = try ChildProcess(
            "memwarnd",
            ["simulate", "--socket", socket, "--level", "warning", "--host", "calm"]
        )
        #expect(simulation.wait() == 0)
        let heard = try #require(second.line(startingWith: "warning"))
        let isOwnScope = heard.contains("-stalled:")
        #expect(!isOwnScope, "the calm host heard of the other's cgroup: \(heard)")
        first.stop()
        second.stop()
        daemon.stop()
    }

    @Test("pressure on the whole host warns every host, whatever its cgroup")
    func hostScope() throws {
        // The fake tree's host file is a real cgroup's file, so the daemon sees a stalled host while the machine does not stall.
        let stalled = try PressureGroup("host", limit: 24)
        let elsewhere = try PressureGroup("elsewhere", limit: 512)
        try directory.makeDirectory("root/proc/pressure")
        try directory.write("", to: "root/proc/self/.keep")
        symlink(stalled.directory + "/memory.pressure", directory.path + "/root/proc/pressure/memory")
        symlink("/proc/meminfo", directory.path + "/root/proc/meminfo")
        let daemon = try ChildProcess(
            "memwarnd",
            ["run", "--socket", socket, "--config", configuration, "--kernel-root", directory.path + "/root"]
        )
        try #require(daemon.line { $0.contains("listens on") } != nil)
        let first = try startGallery("one")
        let second = try startGallery("two", in: elsewhere)
        let thrash = try stalled.thrash(seconds: 6)

        for gallery in [first, second] {
            let warning = try #require(gallery.line(startingWith: "warning", within: 15))
            #expect(warning.contains(" for /: "), "\(warning)")
            #expect(gallery.line(startingWith: "released") != nil)
        }
        thrash.send(SIGKILL)
        _ = thrash.wait()
        first.stop()
        second.stop()
        daemon.stop()
    }

    @Test("a removed cgroup leaves no busy loop, no descriptor and no scope")
    func removedCgroup() throws {
        let daemon = try startDaemon()
        // Without the files of limits and usage of living cgroups, which stay open.
        func descriptors() throws -> Int {
            let folder = "/proc/\(daemon.pid)/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
                let file = (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)) ?? ""
                let isKept = file == "/proc/meminfo" || file.hasPrefix("/sys/fs/cgroup/") && !file.contains("-removed-")
                return !isKept || file.contains("memory.pressure") || file.contains("memory.events")
            }
        }
        func processorTime() throws -> Int {
            let fields = try String(contentsOfFile: "/proc/\(daemon.pid)/stat", encoding: .utf8).split(separator: " ")
            return try #require(Int(fields[13])) + #require(Int(fields[14]))
        }
        let before = try descriptors()
        let watch = try ChildProcess.watch(socket).process
        for round in 0..<3 {
            let group = try PressureGroup("removed-\(round)", limit: 64)
            let gallery = try startGallery("removed-\(round)", in: group)
            // The gallery leaves the cgroup, which is then removed while the daemon watches it.
            try PressureGroup.moveToParent(gallery.pid, from: group)
            group.remove()
            let gone = try #require(watch.line { $0.contains("-removed-") && $0.contains("is gone") })
            #expect(gone.contains("removed-\(round)"))

            let simulation = try ChildProcess("memwarnd", ["simulate", "--socket", socket, "--level", "warning"])
            #expect(simulation.wait() == 0, "the host is still there, in another scope")
            gallery.stop()
            #expect(watch.line { $0.contains("(pid \(gallery.pid)) left") } != nil)
        }
        // The daemon closes the last host's descriptor a moment after it has reported that the host is gone.
        for _ in 0..<100 where try descriptors() != before + 11 { _ = watch.line(within: 0.02) { _ in false } }
        #expect(
            try descriptors() == before + 11,
            "the watcher, the pipe to the thread that closes, those to and from the ones that find processes and open files"
        )
        // A dead PSI file always polls ready. A loop that kept it would use a whole second of processor time here.
        let start = try processorTime()
        _ = watch.line(within: 1) { _ in false }
        #expect(try processorTime() - start < 20)
        watch.stop()
        daemon.stop()
    }

    @Test("if PSI is switched off for a cgroup and on again, its scope moves down the ladder and up, with its hosts")
    func switchedOff() throws {
        let group = try PressureGroup("switched-off", limit: 64)
        let daemon = try startDaemon()
        let gallery = try startGallery("switched-off", in: group)
        let switchFile = group.directory + "/cgroup.pressure"
        func scope(_ isOnTop: Bool) throws -> Substring {
            let end = ContinuousClock.now + .seconds(20)
            while true {
                let status = try ChildProcess("memwarnd", ["status", "--socket", socket]).rest()
                let scope = try #require(status.split(separator: "\n").first { $0.contains("-switched-off  ") })
                let isDown = scope.contains("memory.pressure: No such file or directory")
                if isDown != isOnTop || ContinuousClock.now > end { return scope }
            }
        }
        try "0".write(toFile: switchFile, atomically: false, encoding: .utf8)
        // The scope can still read its limit.
        let lower = try scope(false)
        #expect(lower.contains(RealPressure.hasVersionTwo ? "limit events" : "usage"), "\(lower)")
        #expect(lower.contains("memory.pressure: No such file or directory"), "\(lower)")
        try "1".write(toFile: switchFile, atomically: false, encoding: .utf8)
        let upper = try scope(true)
        #expect(!upper.contains("memory.pressure"), "\(upper)")
        let simulation = try ChildProcess("memwarnd", ["simulate", "--socket", socket, "--level", "warning"])
        #expect(simulation.wait() == 0)
        gallery.stop()
        daemon.stop()
    }

    @Test("when the daemon is killed, the host at once watches the kernel, reconnects, and has the right level")
    func killedDaemon() throws {
        let group = try PressureGroup("killed", limit: 96)
        var daemon = try startDaemon()
        let gallery = try startGallery("survivor", in: group)
        daemon.send(SIGKILL)
        _ = daemon.wait()
        #expect(gallery.line(startingWith: "origin kernel", within: 1) != nil, "within a second")

        // Without a daemon the host receives its own cgroup's pressure from the kernel.
        let thrash = try group.thrash(seconds: 12)
        let warning = try #require(gallery.line(startingWith: "warning", within: 15))
        #expect(!warning.contains("simulated"))
        #expect(gallery.line(startingWith: "level critical") != nil)

        daemon = try startDaemon()
        #expect(gallery.line(startingWith: "origin daemon", within: 31) != nil)
        thrash.send(SIGKILL)
        _ = thrash.wait()
        // Whether the new daemon saw the rest of the pressure or none of it, the host ends at the daemon's level.
        #expect(gallery.line(startingWith: "level normal", within: 25) != nil)
        let status = try ChildProcess("memwarnd", ["status", "--socket", socket]).rest()
        #expect(status.contains("survivor"))
        gallery.stop()
        daemon.stop()
    }
}
