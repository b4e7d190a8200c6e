import CLinux
import MemwarnProgram
import Systemd

/// SIGINT, SIGTERM and SIGHUP while a simulation runs: the first ends it cleanly, the next at once.
///
/// Create it before anything that has to be cleaned up: from then on the signals wait for the loop.
final class Interruption {
    /// Called from the loop at the first signal.
    var first: () -> Void = {}
    /// Called from the loop at later signals.
    var again: () -> Void = {}
    /// The reason why a report is incomplete: the first signal; `nil` if none came.
    private(set) var failure: Failure?
    private var sources: [EventSource] = []

    init(on loop: EventLoop) throws(SystemdError) {
        for (number, name) in [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")] {
            sources.append(
                try loop.signal(number) { [unowned self] in
                    guard failure == nil else { return again() }
                    failure = Failure(message: "the simulation was interrupted by \(name)", code: .signal(number))
                    first()
                }
            )
        }
    }

    /// The exit code of an interrupted program, as in shells; `nil` without an interruption.
    var code: ExitStatus? { failure?.code }
}
