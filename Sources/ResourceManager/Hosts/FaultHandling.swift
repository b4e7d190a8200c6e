internal import CLinux

/// The reaction of a host to a ``ResourceFault``.
public enum FaultHandling {
    /// Writes one line to standard error, where systemd's journal picks it up.
    case log
    /// Stops the process with the same line; for debug builds.
    case trap
    /// Calls the closure, in the host's isolation, during the refused call; for tests, and for services with a logger
    /// of their own.
    ///
    /// The closure may call the library. If that refuses the call too, the closure is called again, four deep at most:
    /// faults beyond that are written as by ``log``.
    case record((ResourceFault) -> Void)

    func report(_ fault: ResourceFault, by object: AnyObject) {
        switch self {
        case .record(let handler): handler(fault)
        case .trap: fatalError(Self.line(fault, object))
        case .log:
            var line = Self.line(fault, object) + "\n"
            // One write, so that lines of several threads do not mix. An error is ignored: without standard error there
            // is no reader to tell.
            line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    private static func line(_ fault: ResourceFault, _ object: AnyObject) -> String {
        "ResourceManager: \(fault) in \(type(of: object)): \(fault.advice)"
    }
}
