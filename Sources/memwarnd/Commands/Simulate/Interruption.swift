import Glibc
import Systemd

/// SIGINT and SIGTERM while a simulation runs: the first ends it in order, the next at once.
final class Interruption {
    /// The signal that came first; `nil` if none did.
    private(set) var signal: CInt?
    private var sources: [EventSource] = []

    /// `first` and `again` are called from the loop.
    init(on loop: EventLoop, first: @escaping () -> Void, again: @escaping () -> Void) throws(SystemdError) {
        for number in [SIGINT, SIGTERM] {
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
    var code: CInt? { signal.map { 128 + $0 } }
}
