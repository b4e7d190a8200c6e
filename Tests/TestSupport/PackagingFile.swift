internal import MemoryPressure

/// The files that are installed with the program.
public enum PackagingFile {
    /// The folder `packaging`.
    public static let folder = Repository.root + "/packaging"

    /// The text of a file, by its path in the folder.
    public static func text(_ name: String) throws -> String {
        try KernelFile.text(of: "\(folder)/\(name)")
    }
}
