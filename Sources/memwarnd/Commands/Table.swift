/// Rows of text under a heading, each column as wide as its widest cell.
struct Table: CustomStringConvertible {
    /// How a column's cells stand in it.
    enum Alignment {
        case left
        case right
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    var description: String {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { index in all.map { $0[index].count }.max() ?? 0 }
        return all.map { row in
            let cells = columns.indices.map { index in
                let padding = String(repeating: " ", count: widths[index] - row[index].count)
                return columns[index].alignment == .left ? row[index] + padding : padding + row[index]
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
