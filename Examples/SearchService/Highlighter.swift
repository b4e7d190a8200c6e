import ResourceManager

/// Marks what was searched for; the storyboard leaves it out where memory is short.
final class Highlighter: View {
    private let open: String
    private let close: String

    override init(coder: Coder) {
        open = coder["open"] ?? ""
        close = coder["close"] ?? ""
        super.init(coder: coder)
    }

    func mark(_ words: [String], in text: String) -> String {
        text.split(separator: " ").map { words.contains(String($0)) ? open + $0 + close : String($0) }
            .joined(separator: " ")
    }
}
