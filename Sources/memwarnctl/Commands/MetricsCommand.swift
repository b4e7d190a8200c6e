import ArgumentParser
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

/// `memwarnd metrics`.
struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print metrics for Prometheus, or write them to a file.",
        discussion: """
            Prints the daemon's counters and the state of its scopes, in Prometheus's text format. With --textfile it \
            writes a file for the textfile collector of the node exporter; the file is replaced as a whole, or stays \
            unchanged. If no daemon answers, the file contains “memwarnd_up 0”.

            Hosts are summed by scope and door. With --per-host there are also series for each host; their number \
            grows with every new host.

            Exit codes: 0 done, 69 no daemon answers, 74 the file, or standard output, cannot be written, 77 not permitted.

            Examples:
              memwarnd metrics
              memwarnd metrics --textfile /var/lib/prometheus/node-exporter/memwarnd.prom
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Option(help: ArgumentHelp("Write to this file instead of standard output.", valueName: "path"))
    var textfile: String?

    @Flag(help: "Print series for each host as well.")
    var perHost = false

    func run() {
        Failure.reported { () throws(Failure) in
            do throws(Failure) {
                let client = try ControlClient(daemon)
                try put(Metrics.text(try MetricsSnapshot(from: client), perHost: perHost))
                return .done
            } catch  where error.code != .cannotWrite {
                // An alert has to detect that no daemon answers.
                if textfile != nil { try put(Metrics.down) }
                throw error
            }
        }
    }

    private func put(_ text: String) throws(Failure) {
        guard let textfile else { return try StandardOutput.write(text) }
        do throws(KernelError) {
            try MetricsFile.write(text, to: textfile)
        } catch {
            throw Failure(message: "\(error); \(textfile) stays as it was", code: .cannotWrite)
        }
    }
}
