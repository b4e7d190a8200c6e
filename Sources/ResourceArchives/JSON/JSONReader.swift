/// Reads JSON as in RFC 8259: UTF-8 is checked, nothing follows the value, and names are unique.
///
/// Names are compared like the keys of `Properties`: two that differ only in the Unicode normalisation of their
/// characters are equal. They are refused, because `Properties` would hold one of them.
///
/// It terminates on every input, with marks or an error, and does not recurse: deep nesting costs no stack.
struct JSONReader {
    /// The maximum depth of nested values.
    static let depthLimit = 256
    /// The maximum number of combining characters in a row in a key.
    ///
    /// Swift normalises a key to hash and compare it, in a time that is quadratic in the length of this row. The number is
    /// that of Unicode's stream-safe text format (UAX #15), which suffices for every language.
    static let combiningLimit = 30

    let bytes: [UInt8]
    /// Whether all texts in quotes may become keys of a dictionary; otherwise only names do.
    private let textsAreKeys: Bool
    /// The index of the next byte.
    var index: Int
    /// Whether the whole text is UTF-8; otherwise each string is checked.
    private(set) var isUTF8 = true

    /// Reads a whole text; or one that was read before, from one of its values on.
    init(_ bytes: [UInt8], at index: Int = 0, textsAreKeys: Bool = false) {
        self.bytes = bytes
        self.index = index
        self.textsAreKeys = textsAreKeys
    }

    /// An object or a list that has begun and not ended.
    private struct Open {
        let mark: Int
        let isObject: Bool
    }

    /// Returns the places of the text's values.
    mutating func marks() throws(JSONError) -> [JSONText.Mark] {
        isUTF8 = String(validating: bytes, as: UTF8.self) != nil
        var marks: [JSONText.Mark] = []
        marks.reserveCapacity(valuesAtMost)
        var open: [Open] = []
        repeat {
            skipSpace()
            if let last = open.last, last.isObject { try name(&marks) }
            marks.append(JSONText.Mark(start: UInt32(index), end: UInt32(marks.count + 1)))
            switch next {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = next == UInt8(ascii: "{")
                guard open.count < Self.depthLimit else { throw tooDeep }
                index += 1
                skipSpace()
                if take(isObject ? "}" : "]") { break }
                open.append(Open(mark: marks.count - 1, isObject: isObject))
                continue
            case UInt8(ascii: "\""): if textsAreKeys { try skipKey() } else { try skipString() }
            case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): try skipNumber()
            case UInt8(ascii: "t") where take(word: "true"): break
            case UInt8(ascii: "f") where take(word: "false"): break
            case UInt8(ascii: "n") where take(word: "null"): break
            default: throw unexpected("a value")
            }
            try close(&marks, &open)
        } while !open.isEmpty
        skipSpace()
        guard next == nil else { throw unexpected("the end of the file") }
        return marks
    }

    /// A member's name and the colon after it.
    private mutating func name(_ marks: inout [JSONText.Mark]) throws(JSONError) {
        guard next == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
        marks.append(JSONText.Mark(start: UInt32(index), end: UInt32(marks.count + 1)))
        try skipKey()
        skipSpace()
        guard take(":") else { throw unexpected("\":\"") }
        skipSpace()
    }

    /// Skips the ends of the objects and lists whose last value was read, up to the next value.
    private mutating func close(_ marks: inout [JSONText.Mark], _ open: inout [Open]) throws(JSONError) {
        while let last = open.last {
            skipSpace()
            if take(",") { return }
            guard take(last.isObject ? "}" : "]") else {
                throw unexpected(last.isObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
            }
            marks[last.mark].end = UInt32(marks.count)
            if last.isObject { try checkNames(of: last.mark, marks) }
            open.removeLast()
        }
    }

    /// Checks whether a name occurs twice in a complete object.
    private func checkNames(of object: Int, _ marks: [JSONText.Mark]) throws(JSONError) {
        var count = 0
        var mark = object + 1
        while mark < marks.count {
            count += 1
            mark = Int(marks[mark + 1].end)
        }
        guard count > 1 else { return }
        var names = Set<String>(minimumCapacity: count)
        mark = object + 1
        while mark < marks.count {
            let start = Int(marks[mark].start)
            mark = Int(marks[mark + 1].end)
            let name = Self.string(in: bytes, at: start)
            guard names.insert(name).inserted else {
                throw error("\(name.quotedForMessage) is here a second time in the same object", at: start)
            }
        }
    }

    /// No text has more values and names than this.
    private var valuesAtMost: Int {
        // Each except the first follows one of these.
        bytes.count {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{")
        } + 1
    }

    /// The next byte; `nil` at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Skips an ASCII character if it comes next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        let isNext = next == UInt8(ascii: character)
        if isNext { index += 1 }
        return isNext
    }

    /// Skips an ASCII word if it comes next.
    mutating func take(word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        if isNext { index += word.utf8CodeUnitCount }
        return isNext
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { index += 1 }
    }

    static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private var tooDeep: JSONError {
        error("values lie in each other more than \(Self.depthLimit) deep", at: index)
    }

    /// An error that names the expected and the found text.
    func unexpected(_ expected: String) -> JSONError {
        var found = "the end of the file"
        if let next {
            // At most four bytes are one code point; a broken one becomes the replacement character.
            let character = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
            found = character.map { $0 == "\"" ? "a text" : "\"\($0)\"" } ?? "byte \(next)"
        }
        return error("expected \(expected), found \(found)", at: index)
    }

    func error(_ message: String, at byte: Int) -> JSONError { JSONError(message, at: byte, of: bytes) }
}
