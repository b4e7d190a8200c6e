import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProgram

/// `memwarnd confined`, which `simulate --apply` runs: joins cgroups, and executes a program or makes memory short
/// there.
struct ConfinedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "confined", shouldDisplay: false)

    @Option(parsing: .singleValue) var cgroup: [String]
    /// The size of the file that is read, in bytes.
    @Option var thrash: Int?
    /// The duration, in milliseconds.
    @Option var milliseconds = 0
    @Argument(parsing: .postTerminator) var command: [String] = []

    func run() {
        Failure.reported { () throws(Failure) in
            do throws(KernelError) {
                guard let thrash else { return try become() }
                // This precedes the shortage of memory.
                let work = try Thrash(directory: "/var/tmp", size: thrash)
                try join()
                try work.run(for: .milliseconds(milliseconds))
                return .done
            } catch {
                throw .software("\(error)")
            }
        }
    }

    private func join() throws(KernelError) {
        for directory in cgroup { try PressureCgroup.write("\(getpid())", to: directory + "/cgroup.procs") }
    }

    private func become() throws(KernelError) -> ExitStatus {
        try join()
        guard let program = command.first else { return .usage }
        execvp(program, command.map { strdup($0) } + [nil])
        let reason = errno
        Failure.say("cannot start \(program): \(String(cString: strerror(reason)))")
        return .unstarted(errno: reason)
    }
}
