import MemoryPressure

/// The files that are installed beside the program.
enum PackagingFile {
    /// The folder `packaging`.
    static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/") + "/packaging"

    static func text(_ name: String) throws -> String {
        try KernelFile.text(of: "\(folder)/\(name)")
    }
}
