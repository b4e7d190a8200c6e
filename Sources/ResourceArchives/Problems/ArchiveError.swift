// Part of this module's API: one `import ResourceArchives` has to do, also where member imports are checked.
@_exported public import struct MemoryPressure.KernelError

/// Why an archive that exists cannot be used.
public enum ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be read.
    case unreadable(KernelError)
    /// The file says something that an archive cannot say: all problems, in the order of the file.
    case invalid([ArchiveProblem])

    /// One line a problem.
    public var description: String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .invalid(let problems): problems.map(\.description).joined(separator: "\n")
        }
    }
}
