/// The format that an archive's file states.
package enum ArchiveFormat: String, CaseIterable, Sendable {
    case nib
    case storyboard

    /// The suffix of its file names.
    package var suffix: String { ".\(rawValue).json" }

    /// The format that a file with this name has to have; `nil` if it may be either.
    package init?(ofFile path: String) {
        guard let format = Self.allCases.first(where: { path.hasSuffix($0.suffix) }) else { return nil }
        self = format
    }
}
