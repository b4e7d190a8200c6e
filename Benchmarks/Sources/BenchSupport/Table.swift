internal import Glibc

/// Prints tables in Markdown on standard output.
package enum Table {
    /// Prints a title, then the column heads, then the rows.
    package static func print(_ title: String, _ heads: [String], _ rows: [[String]], note: String? = nil) {
        var text = "\n### \(title)\n\n"
        let rule = ["---"] + heads.dropFirst().map { _ in "---:" }
        for cells in [heads, rule] + rows { text += "| " + cells.joined(separator: " | ") + " |\n" }
        if let note { text += "\n\(note)\n" }
        Swift.print(text, terminator: "")
        // Flushes, so that the reader of a pipe sees the figures as they come.
        fflush(nil)
    }
}
