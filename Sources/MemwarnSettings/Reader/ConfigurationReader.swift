import MemwarnProtocol

/// Reads the part of TOML that the settings need: tables, keys, strings on one line, decimal numbers, flags and arrays.
///
/// Other features of TOML are refused by name. The reader takes time and memory in proportion to the text, and its
/// recursion is no deeper than ``depth``.
struct ConfigurationReader {
    /// A line that sets a key, or names a table.
    struct Entry: Equatable {
        /// The key with the tables around it.
        let path: [String]
        /// ``ConfigurationValue/table`` if the line names a table.
        let value: ConfigurationValue
        /// From 1.
        let line: Int
    }

    /// The maximum number of parts of a key, and of arrays around an array; real keys have two parts, and no nested
    /// arrays.
    static let depth = 5
    /// The maximum length of a name, in bytes.
    static let longestName = 128

    private enum Kind {
        case value
        case header
        /// A table that dotted keys have created.
        case dotted
    }

    var cursor: ConfigurationCursor
    private var entries: [Entry] = []
    private var table: [String] = []
    /// The tables and values so far, and the lines on which they began.
    private var known: [[String]: (kind: Kind, line: Int)] = [:]

    /// The lines of a text with a key or a table, in their order.
    ///
    /// - Throws: ``ConfigurationSyntaxError`` for the first place that cannot be read.
    static func entries(of text: String) throws(ConfigurationSyntaxError) -> [Entry] {
        var reader = Self(cursor: ConfigurationCursor(text))
        try reader.checkEncoding()
        try reader.readLines()
        return reader.entries
    }

    private init(cursor: ConfigurationCursor) {
        self.cursor = cursor
    }

    /// Bytes that are not UTF-8 have become U+FFFD, which no configuration contains.
    private func checkEncoding() throws(ConfigurationSyntaxError) {
        var place = cursor
        while place.peek() != nil {
            _ = place.take { $0 != 0xEF }
            if place.sees("\u{FFFD}") { throw place.error("there are bytes here that are not UTF-8") }
            place.advance()
        }
    }

    private mutating func readLines() throws(ConfigurationSyntaxError) {
        while true {
            cursor.skipBlanks()
            switch cursor.peek() {
            case nil: return
            case UInt8(ascii: "["): try readHeader()
            case UInt8(ascii: "#"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            default: try readSetting()
            }
            try endLine()
        }
    }

    /// Skips the rest of a line, which may only be a comment.
    private mutating func endLine() throws(ConfigurationSyntaxError) {
        try skipComment()
        guard cursor.isAtLineEnd else { throw cursor.expected("the end of the line") }
        cursor.advance(cursor.sees("\r\n") ? 2 : 1)
    }

    /// Skips blanks and a comment after them.
    mutating func skipComment() throws(ConfigurationSyntaxError) {
        cursor.skipBlanks()
        guard cursor.peek() == UInt8(ascii: "#") else { return }
        while let byte = cursor.peek(), !cursor.isAtLineEnd {
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else {
                throw cursor.error("there is \(cursor.found) in a comment")
            }
            cursor.advance()
        }
    }

    // MARK: Tables and keys

    private mutating func readHeader() throws(ConfigurationSyntaxError) {
        let start = cursor
        guard !cursor.sees("[[") else {
            throw start.error("an array of tables is not read here; write [ and ] once around the table's name")
        }
        cursor.advance()
        let path = try readPath()
        guard cursor.peek() == UInt8(ascii: "]") else { throw cursor.expected("a ] after the table's name") }
        cursor.advance()
        try check(above: path, from: start)
        if let before = known[path] {
            let isTable = before.kind != .value
            throw start.error(
                "\(Self.name(path)) is \(isTable ? "there" : "a value") already, since line \(before.line)"
            )
        }
        known[path] = (.header, start.line)
        table = path
        entries.append(Entry(path: path, value: .table, line: start.line))
    }

    private mutating func readSetting() throws(ConfigurationSyntaxError) {
        let start = cursor
        let path = table + (try readPath())
        guard cursor.peek() == UInt8(ascii: "=") else { throw cursor.expected("a = after the key") }
        cursor.advance()
        cursor.skipBlanks()
        let value = try readValue(within: 0)
        try check(above: path, from: start)
        if let before = known[path] {
            throw start.error("\(Self.name(path)) is set already, on line \(before.line)")
        }
        for length in table.count + 1..<max(path.count, table.count + 1) {
            let around = Array(path.prefix(length))
            if known[around]?.kind == .header {
                throw start.error("\(Self.name(around)) has lines of its own, from line \(known[around]?.line ?? 0) on")
            }
            if known[around] == nil { known[around] = (.dotted, start.line) }
        }
        known[path] = (.value, start.line)
        entries.append(Entry(path: path, value: value, line: start.line))
    }

    /// A value contains no keys.
    private func check(above path: [String], from start: ConfigurationCursor) throws(ConfigurationSyntaxError) {
        for length in 1..<max(path.count, 1) {
            guard let before = known[Array(path.prefix(length))], before.kind == .value else { continue }
            throw start.error("\(Self.name(Array(path.prefix(length)))) is a value already, since line \(before.line)")
        }
    }

    /// Reads the names of a dotted key, and skips the blanks after it.
    private mutating func readPath() throws(ConfigurationSyntaxError) -> [String] {
        var path: [String] = []
        while true {
            cursor.skipBlanks()
            path.append(try readName())
            cursor.skipBlanks()
            guard cursor.peek() == UInt8(ascii: ".") else { return path }
            guard path.count < Self.depth else {
                throw cursor.error("a key has more than \(Self.depth) parts; no key here has more than two")
            }
            cursor.advance()
        }
    }

    private mutating func readName() throws(ConfigurationSyntaxError) -> String {
        let start = cursor
        let name: String
        switch cursor.peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): name = try readString()
        default: name = cursor.take(while: Self.isBare)
        }
        guard cursor.position > start.position else {
            throw cursor.expected("a name of letters, digits, - and _, or one in quotes")
        }
        guard name.utf8.count <= Self.longestName else {
            throw start.error("a name is longer than \(Self.longestName) bytes; no name here has more than 20")
        }
        return name
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func name(_ path: [String]) -> String { path.joined(separator: ".").escapedForDisplay }
}
