import ArgumentParser
import MemwarnProgram

/// The command `memwarnd`, except the daemon itself.
@main
struct Memwarnctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memwarnd",
        abstract: "Tells services to give memory back before anything has to be killed.",
        discussion: """
            memwarnd watches the machine and the cgroups of registered services for memory pressure. When tasks stall \
            because memory is short, it warns the services concerned; they release caches and reloadable data, and \
            answer with the amount. When the pressure is over it tells them.

            Start it as a service, then inspect and test it:

              memwarnd run                         start the daemon in the foreground
              memwarnd status                      show levels, hosts, last rounds
              memwarnd top                         the same, live on the terminal
              memwarnd doctor                      report what can be watched, and how well
              memwarnd simulate --level critical   warn every host, without a shortage
              memwarnd send gallery status         send a command to a host
              memwarnd watch                       follow the events, line by line
              memwarnd metrics                     print metrics for Prometheus
              memwarnd archive check FILE...       check nibs and storyboards
              memwarnd config check                check the configuration
              memwarnd record FILE                 record what a daemon could see
              memwarnd replay FILE...              show what it would have announced

            The daemon is looked for at $MEMWARND_SOCKET if that is set, else at \
            /run/memwarnd/memwarnd.sock, else at $XDG_RUNTIME_DIR/memwarnd/memwarnd.sock.
            """,
        version: Version.current,
        subcommands: [
            RunCommand.self, StatusCommand.self, TopCommand.self, SimulateCommand.self, SendCommand.self,
            WatchCommand.self, ArchiveCommand.self, ConfigCommand.self, DoctorCommand.self, MetricsCommand.self,
            RecordCommand.self, ReplayCommand.self, ConfinedCommand.self,
        ]
    )

    /// Runs the command that the arguments name.
    ///
    /// ArgumentParser ends with success although help, a version or a completion script could not be written.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            guard exitCode(for: error) == .success else { exit(withError: error) }
            let text = fullMessage(for: error)
            Failure.reported { () throws(Failure) in
                if !text.isEmpty { try StandardOutput.print(text) }
                return .done
            }
        }
    }
}
