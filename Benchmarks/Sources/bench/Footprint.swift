internal import BenchSupport
internal import Glibc

/// Measures the daemon's resources: memory by number of hosts, and wake-ups and CPU time while idle.
struct Footprint {
    let workbench: Workbench

    private static let seconds = 60
    private static let crowds = [0, 100, 10_000]

    /// Waits until the daemon has finished its work after start and registration.
    ///
    /// It returns its start's memory after five seconds, and looks for the cgroups of hosts again after ten.
    private static func settle() throws {
        try pause(milliseconds: 12_000)
    }

    func memory() throws {
        var rows: [[String]] = []
        for server in ["C", "memwarnd"] {
            var first: Memory?
            for hosts in Self.crowds {
                let program =
                    server == "C"
                    ? try workbench.plain("server")
                    : try workbench.memwarnd("server", configuration: Workbench.neverPressed)
                let crowd = try workbench.crowd("server", hosts: hosts, answers: .atOnce)
                defer { workbench.end([crowd, program], sockets: ["server"]) }
                try Self.settle()
                let memory = try Memory(of: program.pid)
                let start = first ?? memory
                first = start
                let growth = hosts == 0 ? "–" : "\((memory.anonymous - start.anonymous) / hosts)"
                rows.append(["\(server), \(hosts) hosts"] + memory.cells + [growth])
            }
        }
        Table.print("Memory", ["", "resident KiB", "PSS KiB", "anonymous KiB", "anonymous bytes a host"], rows)
    }

    func idle() throws {
        let plain = try workbench.plain("plain")
        let plainCrowd = try workbench.crowd("plain", hosts: 100, answers: .atOnce)
        // The triggers are armed as usual, but stalls of other processes during the measurement do not reach them.
        let empty = try workbench.memwarnd("empty", configuration: Workbench.neverPressed)
        // A crowd without hosts only waits for the daemon.
        let noHosts = try workbench.crowd("empty", hosts: 0, answers: .atOnce)
        let full = try workbench.memwarnd("full", configuration: Workbench.neverPressed)
        let fullCrowd = try workbench.crowd("full", hosts: 100, answers: .atOnce)
        defer {
            workbench.end([plainCrowd, noHosts, fullCrowd, plain, empty, full], sockets: ["plain", "empty", "full"])
        }
        let watched = [("C, 100 hosts", plain), ("memwarnd, 0 hosts", empty), ("memwarnd, 100 hosts", full)]
        try Self.settle()
        let before = try watched.map { try Activity(of: $0.1.pid) }
        try pause(milliseconds: CInt(Self.seconds * 1_000))
        let after = try watched.map { try Activity(of: $0.1.pid) }
        let rows = zip(watched, zip(before, after)).map { program, activity in
            [
                program.0, "\(activity.1.wakeUps - activity.0.wakeUps)",
                "\((Double(activity.1.nanoseconds - activity.0.nanoseconds) / 1e6).decimal(3))",
            ]
        }
        Table.print(
            "Idle for \(Self.seconds) s",
            ["", "wake-ups", "CPU ms"],
            rows
        )
    }
}

/// The memory of a process, in bytes.
private struct Memory {
    let resident: Int
    let proportional: Int
    let anonymous: Int

    init(of pid: pid_t) throws {
        let text = try readText("/proc/\(pid)/smaps_rollup")
        func bytes(_ key: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }
        resident = bytes("Rss")
        proportional = bytes("Pss")
        anonymous = bytes("Anonymous")
    }

    var cells: [String] { [resident, proportional, anonymous].map { "\($0 / 1024)" } }
}

/// The activity of all threads of a process so far.
private struct Activity {
    /// The number of voluntary sleeps, which equals the number of wake-ups.
    private(set) var wakeUps: UInt64 = 0
    /// The time for which the threads ran.
    private(set) var nanoseconds: UInt64 = 0

    init(of pid: pid_t) throws {
        let tasks = "/proc/\(pid)/task"
        guard let directory = opendir(tasks) else { throw Failure("read", tasks) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard Int(name) != nil else { continue }
            let status = try readText("\(tasks)/\(name)/status")
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            wakeUps += line?.split(separator: "\t").last.flatMap { UInt64($0) } ?? 0
            let schedule = try readText("\(tasks)/\(name)/schedstat")
            nanoseconds += schedule.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
        }
    }
}
