package import MemoryPressure

/// The files of a fake kernel, given as a literal, in a temporary directory.
public final class FakeKernel {
    private let directory: TemporaryDirectory
    /// The tree for the code under test.
    package let tree: KernelTree

    /// Writes the files; the keys are their absolute paths.
    public init(_ files: [String: String]) throws {
        directory = try TemporaryDirectory()
        tree = KernelTree(root: directory.path)
        for (path, text) in files {
            try directory.write(text, to: path)
        }
    }

    /// The real path of a file of the fake tree.
    public func path(_ named: String) -> String { directory.path + named }

    /// Creates a directory and its parents.
    public func directory(_ path: String) throws {
        try directory.makeDirectory(path)
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) {
        directory.removeDirectory(path)
    }

    /// Writes a file again.
    public func set(_ path: String, _ text: String) throws {
        try directory.write(text, to: path)
    }
}
