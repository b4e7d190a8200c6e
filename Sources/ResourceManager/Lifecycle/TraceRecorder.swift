/// Records the callbacks of a host's controllers: transcripts for tests and documentation.
///
/// ```swift
/// let trace = TraceRecorder(host)
/// window.makeVisible()
/// assert(trace.take().prefix(2) == ["GalleryController.loadView", "GalleryController.viewDidLoad"])
/// ```
///
/// Controllers appear under their ``ViewController/title`` or, without one, their class; faults as `fault:code`. The
/// recording ends when the recorder is released.
public final class TraceRecorder {
    private let log: Log
    private let registrations: [Registration]

    private final class Log {
        var lines: [String] = []
    }

    /// Starts recording; the host's ``ControllerHost/faultHandling`` continues as before.
    public init(_ host: ControllerHost) {
        let log = Log()
        self.log = log
        registrations = [
            host.onLifecycleEvent { log.lines.append($0.description) },
            host.onFault { log.lines.append("fault:\($0)") },
        ]
    }

    /// The recorded lines, in order.
    public var events: [String] { log.lines }

    /// The lines that were recorded since the last call.
    public func take() -> [String] {
        defer { log.lines = [] }
        return log.lines
    }
}
