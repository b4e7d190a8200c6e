import ResourceManager

/// Marks the searched words in the hits; the storyboard leaves it out on small machines.
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
