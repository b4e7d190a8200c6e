// Part of this module's API: one `import ResourceArchives` has to be enough, also with checked member imports.
@_exported public import struct MemoryPressure.KernelError

/// Why an archive that exists cannot be used.
public enum ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be read.
    case unreadable(KernelError)
    /// The file is not a valid archive: all problems, in the order of the file.
    case invalid([ArchiveProblem])

    /// One line for each problem.
    public var description: String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .invalid(let problems): problems.map(\.description).joined(separator: "\n")
        }
    }
}
