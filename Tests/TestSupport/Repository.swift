internal import CLinux
internal import Testing

/// The files of this project that are tested along with the code.
public enum Repository {
    /// The root of the working copy in which this file was compiled.
    public static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
        separator: "/"
    )

    /// The bytes of a file, by its path from the root.
    public static func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen("\(root)/\(path)", "re"), "cannot open \(path): errno \(errno)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return bytes
    }

    /// The names of the files in a folder, by its path from the root.
    public static func names(in path: String) throws -> [String] {
        let directory = try #require(opendir("\(root)/\(path)"), "cannot open \(path): errno \(errno)")
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

extension [UInt8] {
    /// Bytes from pairs of hexadecimal digits, with blanks between them and `#` before a remark.
    public init(hex: String) {
        self = hex.split(separator: "\n").flatMap { line in
            line.prefix { $0 != "#" }.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
    }
}
