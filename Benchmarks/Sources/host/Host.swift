internal import CBench
internal import Glibc
internal import ResourceManager

/// A service that only measures the times at which its handler is called.
///
/// `host SOCKET CGROUP_DIRECTORY` joins the cgroup, registers and prints "ready". At each warning of that cgroup it
/// prints the time at which the handler was called, in nanoseconds of CLOCK_MONOTONIC.
@main
struct Program {
    static func main() async throws {
        bench_die_with_parent()
        guard CommandLine.arguments.count == 3 else { fatalError("usage: host SOCKET CGROUP_DIRECTORY") }
        let procs = open(CommandLine.arguments[2] + "/cgroup.procs", O_WRONLY)
        let pid = "\(getpid())"
        guard write(procs, pid, pid.utf8.count) > 0 else { fatalError("cannot join \(CommandLine.arguments[2])") }
        close(procs)

        let host = ControllerHost("bench", options: .init(socket: CommandLine.arguments[1]))
        let clock = Clock()
        host.delegate = clock
        let registration = host.onOriginChange { origin in
            if case .daemon = origin { say("ready") }
        }
        defer { withExtendedLifetime((clock, registration)) {} }
        try await host.run()
    }
}

private final class Clock: ControllerHostDelegate {
    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
        let now = bench_now()
        // Ignores the level in the daemon's welcome, and warnings of the whole machine.
        guard warning.round != 0, warning.scope != "/" else { return }
        say("\(now)")
    }
}

private func say(_ line: String) {
    print(line)
    fflush(nil)
}
