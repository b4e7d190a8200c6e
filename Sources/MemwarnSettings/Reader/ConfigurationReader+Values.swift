import MemwarnProtocol

// Values: everything after a =.
extension ConfigurationReader {
    /// Reads a value that is nested in `arrays` arrays.
    mutating func readValue(within arrays: Int) throws(ConfigurationSyntaxError) -> ConfigurationValue {
        switch cursor.peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): .text(try readString())
        case UInt8(ascii: "["): .list(try readList(within: arrays))
        case UInt8(ascii: "{"):
            throw cursor.error("an inline table is not read here; write [name] and a line for each of its keys")
        default: try readWord()
        }
    }

    /// Reads an array, which may continue on further lines.
    private mutating func readList(within arrays: Int) throws(ConfigurationSyntaxError) -> [ConfigurationValue] {
        guard arrays < Self.depth else {
            throw cursor.error("an array is in more than \(Self.depth) others; no value here has arrays in arrays")
        }
        cursor.advance()
        var values: [ConfigurationValue] = []
        while true {
            try skipLines()
            if cursor.peek() == UInt8(ascii: "]") { break }
            values.append(try readValue(within: arrays + 1))
            try skipLines()
            if cursor.peek() == UInt8(ascii: "]") { break }
            guard cursor.peek() == UInt8(ascii: ",") else { throw cursor.expected("a , or a ] after an array's value") }
            cursor.advance()
        }
        cursor.advance()
        return values
    }

    /// Skips blanks, comments and ends of lines.
    private mutating func skipLines() throws(ConfigurationSyntaxError) {
        try skipComment()
        while cursor.isAtLineEnd, cursor.peek() != nil {
            cursor.advance()
            try skipComment()
        }
    }

    // MARK: Strings

    /// Reads a text between single or double quotes; only double quotes have escapes.
    mutating func readString() throws(ConfigurationSyntaxError) -> String {
        let start = cursor
        guard !cursor.sees("\"\"\""), !cursor.sees("'''") else {
            throw start.error("a text over several lines is not read here; write it on one line, between single quotes")
        }
        let quote = cursor.peek()
        cursor.advance()
        var text = ""
        while true {
            text += cursor.take { $0 != quote && $0 != UInt8(ascii: "\\") && $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            switch cursor.peek() {
            case quote:
                cursor.advance()
                return text
            case UInt8(ascii: "\\") where quote == UInt8(ascii: "'"):
                text += "\\"
                cursor.advance()
            case UInt8(ascii: "\\"): text.unicodeScalars.append(try readEscape())
            case _ where cursor.isAtLineEnd: throw start.error("the quotes are not closed on their line")
            default: throw cursor.error("there is \(cursor.found) in a text; write it as an escape, as in \"\\u0007\"")
            }
        }
    }

    private mutating func readEscape() throws(ConfigurationSyntaxError) -> Unicode.Scalar {
        let start = cursor
        let letter = cursor.peek(1)
        cursor.advance(2)
        switch letter {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            let count = letter == UInt8(ascii: "u") ? 4 : 8
            var value: UInt32 = 0
            for _ in 0..<count {
                guard let digit = cursor.peek().flatMap({ Self.hexDigit($0) }) else {
                    throw cursor.expected("\(count) hexadecimal digits")
                }
                value = value << 4 | digit
                cursor.advance()
            }
            guard let scalar = Unicode.Scalar(value) else { throw start.error("there is no such character") }
            return scalar
        default:
            throw start.error("a \\ begins an escape: one of \\b \\t \\n \\f \\r \\\" \\\\ \\u0000 \\U00000000")
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    // MARK: Flags and numbers

    /// Reads a value that is not in quotes or brackets.
    private mutating func readWord() throws(ConfigurationSyntaxError) -> ConfigurationValue {
        let start = cursor
        let word = cursor.take { byte in
            switch byte {
            case 0...0x20, 0x7F..., UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "#"), UInt8(ascii: "}"): false
            default: true
            }
        }
        switch word {
        case "": throw start.expected("a value: a text in quotes, a number, true, false or an array")
        case "true": return .flag(true)
        case "false": return .flag(false)
        default:
            var number = ConfigurationNumber(word)
            do throws(ConfigurationNumber.Refusal) {
                return try number.value()
            } catch {
                throw start.error("\(word.shown(upTo: 40)) is \(error.problem)")
            }
        }
    }
}
