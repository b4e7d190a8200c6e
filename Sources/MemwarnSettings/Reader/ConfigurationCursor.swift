import MemwarnProtocol

/// A place in the text of a configuration file, which only moves forward.
struct ConfigurationCursor {
    private let bytes: [UInt8]
    private(set) var position = 0
    /// From 1.
    private(set) var line = 1
    private var lineStart = 0

    /// Creates a cursor before the first byte after a byte order mark.
    init(_ text: String) {
        bytes = Array(text.unicodeScalars.first == "\u{FEFF}" ? text.utf8.dropFirst(3) : text.utf8[...])
    }

    /// In bytes, from 1.
    var column: Int { position - lineStart + 1 }

    /// The byte at an offset from here; `nil` after the end.
    func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    /// Whether these bytes come next.
    func sees(_ text: StaticString) -> Bool {
        for offset in 0..<text.utf8CodeUnitCount where peek(offset) != text.utf8Start[offset] { return false }
        return true
    }

    /// Whether the line ends here.
    var isAtLineEnd: Bool { peek() == nil || sees("\n") || sees("\r\n") }

    mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\n") {
                line += 1
                lineStart = position
            }
        }
    }

    mutating func skipBlanks() {
        while peek() == UInt8(ascii: " ") || peek() == UInt8(ascii: "\t") { advance() }
    }

    /// Skips bytes while the condition holds, and returns them.
    mutating func take(while isMeant: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = peek(), isMeant(byte) { advance() }
        return text(from: start)
    }

    /// The text between an earlier position and this one.
    func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    /// The next character, for a message.
    var found: String {
        guard let byte = peek() else { return "the end of the file" }
        if isAtLineEnd { return "the end of the line" }
        guard byte >= 0x20, byte != 0x7F else { return Self.control(byte) }
        // A character has at most four bytes of UTF-8.
        let end = min(bytes.count, position + 4)
        let scalar = String(decoding: bytes[position..<end], as: UTF8.self).unicodeScalars.first ?? "?"
        if scalar == "\"" { return "'\"'" }
        // Many characters look like an ASCII blank or letter.
        let number = scalar.isASCII ? "" : " (\(Self.number(scalar.value)))"
        return "\"\(String(scalar).escapedForDisplay)\"\(number)"
    }

    private static func control(_ byte: UInt8) -> String { "a control character (\(number(UInt32(byte))))" }

    private static func number(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// An error at this place.
    func error(_ problem: String) -> ConfigurationSyntaxError {
        ConfigurationSyntaxError(line: line, column: column, problem: problem)
    }

    /// An error that names the expected text and the found one.
    func expected(_ what: String) -> ConfigurationSyntaxError { error("expected \(what), found \(found)") }
}
