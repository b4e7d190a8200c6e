/// Where the keys of a configuration file stand.
///
/// The parser knows the places of syntax errors only. Of a text that it takes, this finds the line of each key whose name
/// is written without escapes.
struct ConfigurationSource {
    private let entries: [Entry]
    /// The first place at which the parser would abort the process instead of throwing; nothing is looked for after it.
    let stumble: Stumble?

    /// A place that is no TOML.
    struct Stumble {
        let line: Int
        let problem: String
    }

    /// A line that sets a key or opens a table.
    private struct Entry {
        let path: [String]
        let opensTable: Bool
        let line: Int
    }

    init(_ text: String) {
        var scanner = KeyScanner(text)
        var entries: [Entry] = []
        var table: [String] = []
        while let statement = scanner.next() {
            switch statement {
            case .table(let path, let line):
                table = path
                entries.append(Entry(path: path, opensTable: true, line: line))
            case .key(let path, let line):
                entries.append(Entry(path: table + path, opensTable: false, line: line))
            }
        }
        self.entries = entries
        stumble = scanner.stumble
    }

    /// The line, from 1, that sets the key with this path or opens the table of this name.
    func line(of path: [String]) -> Int? {
        entries.first { entry in
            // The key itself, a table made by a dotted key or header, or an inline table with the key in it.
            entry.path.starts(with: path) || !entry.opensTable && path.starts(with: entry.path)
        }?.line
    }
}
