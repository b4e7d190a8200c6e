import CLinux
import Testing

/// The files of this project that are tested beside the code.
enum Repository {
    /// The root of the working copy, from where this file was compiled.
    static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
        separator: "/"
    )

    /// The bytes of a file, by its path from the root.
    static func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen("\(root)/\(path)", "re"), "cannot open \(path): errno \(errno)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return bytes
    }
}
