import Foundation

/// Reads the pages of this repository and the code on them.
enum Documentation {
    /// The modules that users import; each has a catalogue.
    static let modules = [
        "ResourceManager", "ResourceCaches", "ObjectCache", "ResourceArchives", "ResourceManagerServiceLifecycle",
    ]

    static func catalogue(of module: String) -> String { "Sources/\(module)/\(module).docc" }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The files in a folder and its subfolders, by their paths from the repository's root, without hidden and built files.
    static func files(below folder: String, ending suffix: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path(percentEncoded: false))
        return (files?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
            .filter { $0.hasSuffix(suffix) && !$0.contains("/.") }.sorted()
    }

    /// The code between the lines "```swift" and "```", without the indentation of these lines.
    static func swiftBlocks(in page: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            switch (line.drop { $0 == " " }, block) {
            case ("```swift", nil): block = []
            case ("```", let lines?):
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            default: block?.append(line)
            }
        }
        return blocks
    }

    /// The text of documentation comments, line by line.
    static func comments(of source: String) -> String {
        source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("///") else { return "" }
            return String(line.hasPrefix("/// ") ? line.dropFirst(4) : line.dropFirst(3))
        }.joined(separator: "\n")
    }

    /// Whether a program contains the lines of code in sequence, with the same relative indentation.
    static func contains(_ program: String, _ code: String) -> Bool {
        let program = program.split(separator: "\n", omittingEmptySubsequences: false)
        let code = code.split(separator: "\n", omittingEmptySubsequences: false)
        return program.indices.contains { start in
            guard start + code.count <= program.count else { return false }
            let indentation = program[start].prefix { $0 == " " }
            return zip(program[start...], code).allSatisfy { line, wanted in
                line == (wanted.isEmpty ? "" : indentation + wanted)
            }
        }
    }
}
