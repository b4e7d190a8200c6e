import ArgumentParser
import MemwarnProgram
import MemwarnSettings
import WarningPolicy

/// `memwarnd run`, as far as it is explained: the daemon's program reads its options itself.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Start the daemon in the foreground.",
        discussion: """
            Runs until SIGTERM or SIGINT; SIGHUP has it read its configuration anew. Under systemd it reports readiness and \
            its level, feeds the watchdog, takes over the socket of a socket unit, keeps its hosts over a restart and logs to \
            the journal; without systemd it logs to standard error.

            The configuration is \(Settings.systemPath) and the drop-ins in \(Settings.systemPath).d; \
            “memwarnd config” checks and shows it.

            A file of the configuration in which something is wrong is left out as a whole, and the others hold; the pressure \
            socket and the D-Bus name stay closed until it is mended and read again. The log and “memwarnd status” say what \
            is wrong.

            Exit codes: 0 ended as asked, 1 nothing can be watched here, 69 another daemon is there, \
            72 memwarnd is not installed whole, 77 not permitted.
            """
    )

    @Option(help: ArgumentHelp("Listen on this socket.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Read this file, and its FILE.d, instead of the system's.", valueName: "file"))
    var config: String?

    @Flag(name: .shortAndLong, help: "Log more.")
    var verbose = false

    func run() {
        // “memwarnd run” comes here for its help only.
        Failure.reported { () throws(Failure) in
            throw Failure(message: "the daemon is a program of its own: start it with “memwarnd run”", code: .usage)
        }
    }
}
