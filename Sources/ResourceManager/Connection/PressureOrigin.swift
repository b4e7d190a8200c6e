/// Where a host's warnings come from at present.
public enum PressureOrigin: Sendable, Hashable {
    /// No source: there is no daemon, and the kernel cannot be watched from here.
    case none
    /// A memwarnd daemon that listens on this socket.
    case daemon(socket: String)
    /// The kernel's pressure file at this path, watched by the process itself while there is no daemon.
    case kernel(path: String)
}

extension PressureOrigin: CustomStringConvertible {
    /// `daemon at …`, `kernel at …` or `none`.
    public var description: String {
        switch self {
        case .none: "none"
        case .daemon(let socket): "daemon at \(socket)"
        case .kernel(let path): "kernel at \(path)"
        }
    }
}
