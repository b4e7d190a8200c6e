/// A line on the screen, or a part of one: pieces of text with their styles.
struct StyledText: Equatable {
    /// The appearance of a piece of text on a terminal with colours.
    enum Style: String {
        case plain = ""
        case strong = "1"
        case faint = "2"
        case good = "32"
        case warning = "33"
        case critical = "1;31"
        case graph = "36"
    }

    private struct Piece: Equatable {
        var text: String
        var style: Style
    }

    private var pieces: [Piece]

    /// Creates one piece; its text has to be safe to print.
    init(_ text: String = "", _ style: Style = .plain) {
        pieces = text.isEmpty ? [] : [Piece(text: text, style: style)]
    }

    /// Creates a number of blanks.
    static func blanks(_ count: Int) -> Self { Self(String(repeating: " ", count: max(0, count))) }

    /// The number of its characters.
    var count: Int { pieces.reduce(0) { $0 + $1.text.count } }

    /// Without styles.
    var text: String { pieces.map(\.text).joined() }

    /// With the escape sequences of the styles.
    var escaped: String {
        pieces.map { $0.style == .plain ? $0.text : "\u{1b}[\($0.style.rawValue)m\($0.text)\u{1b}[0m" }.joined()
    }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.pieces += right.pieces
        return sum
    }

    /// At most `width` characters; the last one shows if there were more.
    func cut(to width: Int) -> Self {
        guard count > width else { return self }
        var left = width - 1
        var cut = Self()
        for piece in pieces where left > 0 {
            let text = String(piece.text.prefix(left))
            left -= text.count
            cut.pieces.append(Piece(text: text, style: piece.style))
        }
        return width > 0 ? cut + Self("…", cut.pieces.last?.style ?? .plain) : Self()
    }

    /// Without blanks at its end.
    var trimmed: Self {
        var trimmed = self
        while let last = trimmed.pieces.last {
            let text = String(last.text.reversed().drop { $0 == " " }.reversed())
            trimmed.pieces[trimmed.pieces.count - 1].text = text
            guard text.isEmpty else { break }
            trimmed.pieces.removeLast()
        }
        return trimmed
    }
}
