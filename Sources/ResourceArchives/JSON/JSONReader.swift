/// Reads JSON as RFC 8259 has it, and nothing besides: UTF-8 is checked, names are unique, nothing follows the value.
///
/// It ends on every input, with a tree or an error.
struct JSONReader {
    /// How deep values may lie in each other; the stack is what limits it.
    static let depthLimit = 256

    private let bytes: [UInt8]
    private var index = 0
    private(set) var position = TextPosition()

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The only value of a text.
    static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONNode {
        var reader = Self(bytes)
        let node = try reader.node(depth: 1)
        reader.skipSpace()
        guard reader.next == nil else { throw reader.unexpected("the end of the file") }
        return node
    }

    private mutating func node(depth: Int) throws(JSONError) -> JSONNode {
        skipSpace()
        let start = position
        let value: JSONValue =
            switch next {
            case UInt8(ascii: "{"): .object(try members(depth: depth))
            case UInt8(ascii: "["): .array(try elements(depth: depth))
            case UInt8(ascii: "\""): .string(try string())
            case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): try number()
            case UInt8(ascii: "t") where take("true"): .bool(true)
            case UInt8(ascii: "f") where take("false"): .bool(false)
            case UInt8(ascii: "n") where take("null"): .null
            default: throw unexpected("a value")
            }
        return JSONNode(value: value, position: start)
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSONMember] {
        guard depth <= Self.depthLimit else { throw tooDeep }
        advance()
        var members: [JSONMember] = []
        var names: Set<String> = []
        skipSpace()
        if take("}") { return members }
        repeat {
            skipSpace()
            let start = position
            guard next == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
            let name = try string()
            guard names.insert(name).inserted else {
                throw JSONError(position: start, message: "\"\(name)\" is here a second time in the same object")
            }
            skipSpace()
            guard take(":") else { throw unexpected("\":\"") }
            members.append(JSONMember(name: name, node: try node(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw unexpected("\",\" or \"}\"") }
        return members
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSONNode] {
        guard depth <= Self.depthLimit else { throw tooDeep }
        advance()
        var elements: [JSONNode] = []
        skipSpace()
        if take("]") { return elements }
        repeat {
            elements.append(try node(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw unexpected("\",\" or \"]\"") }
        return elements
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let first = index
        _ = take("-")
        if !take("0") { try digits() }
        var isWhole = true
        if take(".") {
            isWhole = false
            try digits()
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("-") { _ = take("+") }
            try digits()
        }
        let text = String(decoding: bytes[first..<index], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw JSONError(position: start, message: "\(text) is too large a number")
        }
        return .number(number)
    }

    private mutating func digits() throws(JSONError) {
        guard let digit = next, isDigit(digit) else { throw unexpected("a digit") }
        while let digit = next, isDigit(digit) { advance() }
    }

    /// The next byte; `nil` at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Goes past the next byte.
    mutating func advance() {
        if bytes[index] == UInt8(ascii: "\n") {
            position.line += 1
            position.column = 1
        } else if bytes[index] & 0xc0 != 0x80 {
            position.column += 1
        }
        index += 1
    }

    /// Goes past a word of ASCII if it comes next.
    mutating func take(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        if isNext { for _ in 0..<word.utf8CodeUnitCount { advance() } }
        return isNext
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { advance() }
    }

    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private var tooDeep: JSONError {
        JSONError(position: position, message: "values lie in each other more than \(Self.depthLimit) deep")
    }

    /// Says what should come next, and what does.
    func unexpected(_ expected: String) -> JSONError {
        var found = "the end of the file"
        if let next {
            // At most four bytes are one code point; of a broken one, the replacement character is left.
            let character = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
            found = character.map { "\"\($0)\"" } ?? "byte \(next)"
        }
        return JSONError(position: position, message: "expected \(expected), found \(found)")
    }
}
