/// What an archive's file says it is.
package enum ArchiveFormat: String, CaseIterable, Sendable {
    case nib
    case storyboard

    /// The end of the names of its files.
    package var suffix: String { ".\(rawValue).json" }

    /// What a file has to be if it is called this; `nil` if it may be either.
    package init?(ofFile path: String) {
        guard let format = Self.allCases.first(where: { path.hasSuffix($0.suffix) }) else { return nil }
        self = format
    }
}
