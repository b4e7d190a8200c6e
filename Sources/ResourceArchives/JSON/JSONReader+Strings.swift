extension JSONReader {
    /// A text in quotes, which come next.
    mutating func string() throws(JSONError) -> String {
        let start = position
        advance()
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONError(position: start, message: "this text is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                advance()
                try escape(into: &text)
            case ..<0x20:
                throw unexpected("an escape such as \\n instead of a control character")
            default:
                text.append(byte)
                advance()
            }
        }
        throw JSONError(position: start, message: "this text has no end")
    }

    /// What follows a backslash.
    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = position
        guard let letter = next, let meaning = Self.escapes[letter] else {
            guard take("u") else { throw unexpected("one of \"\\/bfnrtu after a backslash") }
            var value = try fourDigits()
            // Two halves of a code point above U+FFFF, in this order.
            if 0xd800..<0xdc00 ~= value, take("\\u"), case let low = try fourDigits(), 0xdc00..<0xe000 ~= low {
                value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw JSONError(position: start, message: "this is half a code point")
            }
            text += Array(String(scalar).utf8)
            return
        }
        text.append(meaning)
        advance()
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0c,
        UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw unexpected("four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            advance()
        }
        return value
    }
}
