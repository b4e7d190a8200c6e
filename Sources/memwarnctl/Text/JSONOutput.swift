import FoundationEssentials
import MemwarnProtocol

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
        return escaped(String(decoding: data, as: UTF8.self))
    }

    /// Escapes the characters that JSON permits in a string and a terminal obeys: DEL, further control characters, and
    /// format characters, which reverse or hide the text around them.
    private static func escaped(_ json: String) -> String {
        var result = ""
        for scalar in json.unicodeScalars {
            // The encoder has escaped those below 0x20 in strings; outside of strings, lines end.
            if scalar.value < 0x7F || String(scalar).escapedForDisplay == String(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }
}
