/// The text of a configuration file, to say on which line a key stands.
///
/// The parser knows the places of syntax errors only.
struct ConfigurationSource {
    let file: String
    let text: String

    /// The line, from 1, that sets the key with this path or opens the table of this name.
    func line(of path: [String]) -> Int? {
        var table: [String] = []
        for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = raw.drop { $0 == " " || $0 == "\t" }
            if line.first == "[", let end = line.firstIndex(of: "]") {
                table = keys(line[line.index(after: line.startIndex)..<end])
                if table == path { return index + 1 }
            } else if let equals = line.firstIndex(of: "="), line.first != "#" {
                let key = table + keys(line[..<equals])
                // The key itself, a table made by a dotted key, or an inline table with the key in it.
                if key.starts(with: path) || path.starts(with: key) { return index + 1 }
            }
        }
        return nil
    }

    private func keys(_ text: Substring) -> [String] {
        text.split(separator: ".").map { String($0.filter { !" \t\"'[".contains($0) }) }
    }
}
