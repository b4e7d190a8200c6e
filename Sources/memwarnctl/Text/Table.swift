/// Rows of text under a heading, each column as wide as its widest cell.
///
/// It can be fitted to a width: then long texts are cut, and columns without room are omitted. A column with a rank is
/// also omitted if it is empty in all rows.
struct Table {
    /// One column.
    struct Column {
        private(set) var title: String
        private(set) var isLeft: Bool
        /// The order of omission: 0 is never omitted, the others get the remaining room in their order.
        private(set) var rank: Int
        /// Whether its texts may be cut.
        private(set) var isCut: Bool

        /// A left-aligned column.
        static func left(_ title: String, rank: Int = 0, isCut: Bool = false) -> Self {
            Self(title: title, isLeft: true, rank: rank, isCut: isCut)
        }

        /// A right-aligned column.
        static func right(_ title: String, rank: Int = 0) -> Self {
            Self(title: title, isLeft: false, rank: rank, isCut: false)
        }
    }

    /// The minimum width to which texts are cut to make room for a column.
    private static let readable = 16

    private let columns: [Column]
    private var rows: [[StyledText]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with one cell for each column.
    mutating func add(_ cells: [String]) {
        rows.append(cells.map { StyledText($0) })
    }

    /// Adds a row with one cell for each column.
    mutating func add(_ cells: [StyledText]) {
        rows.append(cells)
    }

    /// The heading and the rows, each with at most `width` characters; unlimited if `nil`.
    func lines(width: Int?) -> [StyledText] {
        let heading = columns.map { StyledText($0.title, .strong) }
        let all = [heading] + rows
        let natural = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let (kept, widths) = fit(natural, into: width ?? .max)
        return all.map { row in
            var line = StyledText()
            for (index, column) in kept.enumerated() {
                let cell = row[column].cut(to: widths[column])
                let padding = StyledText.blanks(widths[column] - cell.count)
                line = line + (index == 0 ? StyledText() : .blanks(2))
                line = line + (columns[column].isLeft ? cell + padding : padding + cell)
            }
            return width.map { line.trimmed.cut(to: $0) } ?? line.trimmed
        }
    }

    /// The heading and the rows, without styles and in full.
    var text: String { lines(width: nil).map(\.text).joined(separator: "\n") }

    /// The columns that stay, and their widths.
    private func fit(_ natural: [Int], into width: Int) -> (kept: [Int], widths: [Int]) {
        var kept: [Int] = []
        var left = width
        for column in columns.indices.sorted(by: { (columns[$0].rank, $0) < (columns[$1].rank, $1) }) {
            let needed = (columns[column].isCut ? min(natural[column], Self.readable) : natural[column]) + 2
            let isEmpty = !rows.contains { $0[column].count > 0 }
            guard columns[column].rank == 0 || !isEmpty && needed <= left else { continue }
            kept.append(column)
            left -= needed - (kept.count == 1 ? 2 : 0)
        }
        kept.sort()
        var widths = natural
        var excess = kept.reduce(2 * (kept.count - 1)) { $0 + widths[$1] } - width
        // The widest is cut first, so that short texts stay complete.
        while excess > 0, let widest = kept.filter({ columns[$0].isCut }).max(by: { widths[$0] < widths[$1] }),
            widths[widest] > 1
        {
            widths[widest] -= 1
            excess -= 1
        }
        return (kept, widths)
    }
}
