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
    /// The first signal; `nil` if none came.
    private(set) var signal: CInt?
    private var sources: [EventSource] = []

    init(on loop: EventLoop) throws(SystemdError) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            sources.append(
                try loop.signal(number) { [unowned self] in
                    guard signal == nil else { return again() }
                    signal = number
                    first()
                }
            )
        }
    }

    /// The exit code of an interrupted program, as in shells; `nil` without an interruption.
    var code: ExitStatus? { failure?.code }

    /// The reason why a report is incomplete; `nil` without an interruption.
    var failure: Failure? {
        signal.map { Failure(message: "the simulation was interrupted by \(Self.name(of: $0))", code: .signal($0)) }
    }

    private static func name(of signal: CInt) -> String {
        switch signal {
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        default: "SIGHUP"
        }
    }
}
