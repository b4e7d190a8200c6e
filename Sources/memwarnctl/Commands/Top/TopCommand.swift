import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

/// `memwarnd top`.
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch levels, hosts and rounds on the terminal.",
        discussion: """
            SOME and FULL are the shares of the last ten seconds in which at least one task, and all tasks, stalled on \
            memory. The graph shows SOME over the last minute, since the start of the command; half of its height is \
            10 %, where a warning begins by default. KERNEL SAW is the decrease of the scope's memory in a round.

            Keys: q or Ctrl-C quit; s sorts the hosts by the next of releasable, released, took, level and name; up \
            and down, k and j, page up and down scroll them; p pauses.

            Into a file or a pipe, with --once, or on a terminal without escape sequences it prints everything once. \
            NO_COLOR is honoured.

            Exit codes: 0 shown, 69 no daemon answers, 77 not permitted.
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Flag(help: "Print everything once, without escape sequences.")
    var once = false

    @Option(help: ArgumentHelp("The interval between queries; events cause a query at once.", valueName: "seconds"))
    var interval = 1.0

    func validate() throws {
        guard (0.1...3_600).contains(interval) else { throw ValidationError("--interval takes 0.1 to 3600 seconds.") }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            guard !once, Terminal.isCapable else {
                try printOnce(try snapshot())
                return .done
            }
            switch try TopScreen(daemon, interval: .seconds(interval)).run() {
            case .asked: return .done
            case .signal(let number):
                // The sender sees that the signal ended this process.
                signal(number, SIG_DFL)
                raise(number)
                return .signal(number)
            }
        }
    }

    private func snapshot() throws(Failure) -> DaemonSnapshot {
        let client = try ControlClient(daemon)
        return try DaemonSnapshot(from: client)
    }

    private func printOnce(_ snapshot: DaemonSnapshot) throws(Failure) {
        let columns = isatty(STDOUT_FILENO) == 1 ? Terminal().size.columns : nil
        let frame = TopFrame(TopState(snapshot, isLive: false, at: .now), columns: columns, at: .now)
        try StandardOutput.print(frame.lines.map(\.text).joined(separator: "\n"))
    }
}
