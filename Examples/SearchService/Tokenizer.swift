import ResourceManager

/// Splits a text into words; an object of the nib that is not a view.
final class Tokenizer: Responder {
    private let minimumLength: Int

    init(coder: Coder) {
        minimumLength = coder["minimumLength"] ?? 1
        super.init()
    }

    func words(in text: String) -> [String] {
        text.lowercased().split(separator: " ").map { String($0) }.filter { $0.count >= minimumLength }
    }
}
