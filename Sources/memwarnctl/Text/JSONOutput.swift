import FoundationEssentials

/// Values as JSON text.
enum JSONOutput {
    /// One value, on several lines or on one.
    static func text(_ value: some Encodable, onOneLine: Bool) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            onOneLine
            ? [.sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        // Only NaN or an infinite number could fail to encode, and there is none.
        guard let data = try? encoder.encode(value) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }
}
