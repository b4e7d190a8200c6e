/// Writes down what the library does with a host's controllers: transcripts for tests, documentation and the curious.
///
/// ```swift
/// let trace = TraceRecorder(host)
/// window.makeVisible()
/// assert(trace.take().prefix(2) == ["GalleryController.loadView", "GalleryController.viewDidLoad"])
/// ```
///
/// Controllers appear under their ``ViewController/title`` or, without one, their class; faults as `fault:code`.
/// Records until it is released.
public final class TraceRecorder {
    private let log: Log
    private let registrations: [Registration]

    private final class Log {
        var lines: [String] = []
    }

    /// Starts recording what happens in a host, whose ``ControllerHost/faultHandling`` goes on as before.
    public init(_ host: ControllerHost) {
        let log = Log()
        self.log = log
        registrations = [
            host.onLifecycleEvent { log.lines.append($0.description) },
            host.onFault { log.lines.append("fault:\($0)") },
        ]
    }

    /// What has been recorded, in order.
    public var events: [String] { log.lines }

    /// What has been recorded since the last time.
    public func take() -> [String] {
        defer { log.lines = [] }
        return log.lines
    }
}
