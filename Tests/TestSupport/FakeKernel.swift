package import MemoryPressure

/// A kernel's files as a literal, in a temporary directory.
public final class FakeKernel {
    private let directory: TemporaryDirectory
    /// The tree to give to the code under test.
    package let tree: KernelTree

    /// Writes the files, named by their absolute paths.
    public init(_ files: [String: String]) throws {
        directory = try TemporaryDirectory()
        tree = KernelTree(root: directory.path)
        for (path, text) in files {
            try directory.write(text, to: path)
        }
    }

    /// Where a file of the fake tree really lies.
    public func path(_ named: String) -> String { directory.path + named }

    /// Makes a directory and those above it.
    public func directory(_ path: String) throws {
        try directory.makeDirectory(path)
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) {
        directory.removeDirectory(path)
    }

    /// Writes a file anew.
    public func set(_ path: String, _ text: String) throws {
        try directory.write(text, to: path)
    }
}
