internal import CLinux

/// Why a state cannot be kept or restored.
public enum RestorationError: Error, Equatable, Sendable {
    /// The file or its folder cannot be used.
    case system(KernelError)
    /// The file is not a valid state, or was written by a newer program.
    case damaged([ArchiveProblem])
    /// The state holds something that cannot be written.
    case unwritable(PropertyEncodingError)
}

extension RestorationError: CustomStringConvertible {
    /// The failure, and the remedy if it is known; one line for each problem.
    public var description: String {
        switch self {
        case .system(let error) where [ENOENT, EACCES, EPERM, EROFS].contains(error.errno):
            "\(error); create a folder that this user may write to, for example with StateDirectory= in a unit"
        case .system(let error) where error.errno == EAGAIN:
            "\(error); another process holds it, which lslocks(8) names: end that, or wait for longer"
        case .system(let error) where error.path.utf8.contains(0): "\(error); there is a NUL in the path: leave it out"
        case .system(let error) where error.errno == EFBIG: "\(error); keep less in a state: 16 MiB at most"
        case .system(let error): "\(error)"
        case .damaged(let problems): problems.map(\.description).joined(separator: "\n")
        case .unwritable(let error): "\(error)"
        }
    }
}
