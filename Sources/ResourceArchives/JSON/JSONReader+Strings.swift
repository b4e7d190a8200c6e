extension JSONReader {
    /// Skips the next text in quotes.
    mutating func skipString() throws(JSONError) {
        var none: [UInt8]?
        try readString(into: &none)
    }

    /// Skips the next text in quotes, which may become a key.
    mutating func skipKey() throws(JSONError) {
        let start = index
        try skipString()
        let isPlain = bytes[start..<index].allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\\") }
        guard !isPlain else { return }
        guard Self.isComparable(Self.string(in: bytes, at: start)) else {
            throw error("this text has more than \(Self.combiningLimit) combining characters in a row", at: start)
        }
    }

    /// Whether a key has no more combining characters in a row than ``combiningLimit``.
    static func isComparable(_ key: String) -> Bool {
        var count = 0
        for scalar in key.unicodeScalars {
            count = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
            if count > combiningLimit { return false }
        }
        return true
    }

    /// The text in quotes that begins at a byte and has been read before.
    static func string(in bytes: [UInt8], at start: Int) -> String {
        // Most texts have no escapes.
        if let end = bytes[(start + 1)...].firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }),
            bytes[end] == UInt8(ascii: "\"")
        {
            return String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        }
        var reader = Self(bytes, at: start)
        var text: [UInt8]? = []
        // It is valid, or the first reading would have ended there.
        try? reader.readString(into: &text)
        return String(decoding: text ?? [], as: UTF8.self)
    }

    /// Skips a text in quotes, and appends it to `text` if that is not `nil`.
    private mutating func readString(into text: inout [UInt8]?) throws(JSONError) {
        let start = index
        index += 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                guard isUTF8 || String(validating: bytes[start..<index], as: UTF8.self) != nil else {
                    throw error("this text is not UTF-8", at: start)
                }
                return
            case UInt8(ascii: "\\"):
                index += 1
                let scalar = try escape()
                if let units = UTF8.encode(scalar) { text?.append(contentsOf: units) }
            case ..<0x20:
                throw unexpected("an escape instead of a control character")
            case let byte:
                text?.append(byte)
                index += 1
            }
        }
        throw error("this text has no end", at: start)
    }

    /// Reads the rest of an escape after the backslash.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = index
        guard let letter = next, let meaning = Self.meaning(of: letter) else {
            guard take("u") else { throw unexpected("another backslash or one of \"/bfnrtu after a backslash") }
            var value = try fourDigits()
            // Two halves of a code point above U+FFFF, in this order.
            if 0xd800..<0xdc00 ~= value, take(word: "\\u"), case let low = try fourDigits(), 0xdc00..<0xe000 ~= low {
                value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw error("this is half a code point", at: start) }
            return scalar
        }
        index += 1
        return meaning
    }

    private static func meaning(of letter: UInt8) -> Unicode.Scalar? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(letter)
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{c}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: nil
        }
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch next {
            case let byte? where Self.isDigit(byte): digit = byte - UInt8(ascii: "0")
            case let byte? where UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20:
                digit = (byte | 0x20) - UInt8(ascii: "a") + 10
            default: throw unexpected("four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
