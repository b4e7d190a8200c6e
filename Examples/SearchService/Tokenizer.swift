import ResourceManager

/// Takes a text apart into words; no view, but an object of the nib.
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
