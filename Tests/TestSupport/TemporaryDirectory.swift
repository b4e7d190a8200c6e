internal import Foundation
internal import Testing

/// A test's own directory, removed with its contents when the test releases it.
public final class TemporaryDirectory {
    /// Its absolute path.
    public let path: String

    /// Creates an empty directory.
    public init() throws {
        var template = Array("/tmp/memwarnd-test.XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }
        path = try #require(made.map { String(cString: $0) }, "mkdtemp failed: \(String(cString: strerror(errno)))")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file, and creates the directories above it.
    ///
    /// An existing file is overwritten and then truncated: like a kernel file, it is never empty for a reader.
    public func write(_ text: String, to relativePath: String) throws {
        let file = path + "/" + relativePath
        try makeDirectory(relativePath.split(separator: "/").dropLast().joined(separator: "/"))
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        try #require(descriptor >= 0, "cannot write \(file): \(String(cString: strerror(errno)))")
        defer { close(descriptor) }
        let count = text.utf8.count
        try #require(pwrite(descriptor, text, count, 0) == count, "cannot write \(file)")
        ftruncate(descriptor, off_t(count))
    }

    /// Creates a directory and its parents.
    public func makeDirectory(_ relativePath: String) throws {
        var made = path
        for part in relativePath.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o755) == 0 || errno == EEXIST else {
                Issue.record("cannot make \(made): \(String(cString: strerror(errno)))")
                return
            }
        }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ relativePath: String) {
        guard rmdir(path + "/" + relativePath) == 0 else {
            Issue.record("cannot remove \(relativePath): \(String(cString: strerror(errno)))")
            return
        }
    }
}
