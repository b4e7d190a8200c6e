import CLinux
import MemwarnProgram
import Systemd

/// SIGINT, SIGTERM and SIGHUP while a simulation runs: the first ends it in order, the next at once.
///
/// Made before anything that has to be cleaned up: from then on the signals wait for the loop.
final class Interruption {
    /// Called from the loop at the first signal.
    var first: () -> Void = {}
    /// Called from the loop at those that follow.
    var again: () -> Void = {}
    /// The signal that came first; `nil` if none did.
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

    /// The exit code of a program that was interrupted, as shells have it; `nil` if it was not.
    var code: ExitStatus? { signal.map { .signal($0) } }
}
