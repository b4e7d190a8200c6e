import ArgumentParser
import MemwarnProgram
import MemwarnSettings
import WarningPolicy

/// `memwarnd run`, for its help only: the daemon's program reads its options itself.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Start the daemon in the foreground.",
        discussion: """
            Runs until SIGTERM or SIGINT; at SIGHUP it reads its configuration again. Under systemd it reports \
            readiness and its level, feeds the watchdog, takes over the socket of a socket unit, keeps its hosts over \
            a restart and logs to the journal; without systemd it logs to standard error.

            The configuration is \(Settings.systemPath) and the drop-ins in \(Settings.systemPath).d; \
            “memwarnd config” checks and shows it.

            A file of the configuration with a mistake is left out as a whole, and the other files take effect; the \
            pressure socket and the D-Bus name stay closed until it is corrected and read again. The log and “memwarnd \
            status” name the mistake.

            Exit codes: 0 ended on request, 1 nothing can be watched here, 69 another daemon is running, 72 a part of \
            memwarnd is missing, 73 the socket cannot be created, 77 not permitted.
            """
    )

    @Option(help: ArgumentHelp("Listen on this socket.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Read this file, and its FILE.d, instead of the system's.", valueName: "file"))
    var config: String?

    func run() {
        // “memwarnd run” comes here for its help only.
        Failure.reported { () throws(Failure) in
            throw Failure(message: "the daemon is a program of its own: start it with “memwarnd run”", code: .usage)
        }
    }
}
