/// Where the keys of a configuration file stand.
///
/// The parser knows the places of syntax errors only. Of a text that it takes, this finds the line of each key whose name
/// is written without escapes.
struct ConfigurationSource {
    private let entries: [Entry]

    /// A line that sets a key or opens a table.
    private struct Entry {
        let path: [String]
        let opensTable: Bool
        let line: Int
    }

    init(_ text: String) {
        var scanner = KeyScanner(text)
        var entries: [Entry] = []
        var table: [String] = []
        while let statement = scanner.next() {
            switch statement {
            case .table(let path, let line):
                table = path
                entries.append(Entry(path: path, opensTable: true, line: line))
            case .key(let path, let line):
                entries.append(Entry(path: table + path, opensTable: false, line: line))
            }
        }
        self.entries = entries
    }

    /// The line, from 1, that sets the key with this path or opens the table of this name.
    func line(of path: [String]) -> Int? {
        entries.first { entry in
            // The key itself, a table made by a dotted key or header, or an inline table with the key in it.
            entry.path.starts(with: path) || !entry.opensTable && path.starts(with: entry.path)
        }?.line
    }
}

/// Goes through a text in TOML from one key to the next and passes over values, in one pass and whatever the text is.
private struct KeyScanner {
    enum Statement {
        case table([String], line: Int)
        case key([String], line: Int)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ text: String) {
        // A byte order mark is no part of the first key.
        bytes = Array(text.unicodeScalars.first == "\u{FEFF}" ? text.utf8.dropFirst(3) : text.utf8[...])
    }

    mutating func next() -> Statement? {
        while let byte = peek() {
            let start = line
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
            case UInt8(ascii: "#"): skipLine()
            case UInt8(ascii: "["):
                while peek() == UInt8(ascii: "[") { advance() }
                let path = readPath()
                skipLine()
                return .table(path, line: start)
            default:
                let path = readPath()
                guard peek() == UInt8(ascii: "=") else {
                    skipLine()
                    continue
                }
                advance()
                skipValue()
                return .key(path, line: start)
            }
        }
        return nil
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func advance() {
        guard position < bytes.count else { return }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private mutating func skipLine() {
        while let byte = peek() {
            advance()
            if byte == UInt8(ascii: "\n") { return }
        }
    }

    private mutating func skipBlanks() {
        while peek() == UInt8(ascii: " ") || peek() == UInt8(ascii: "\t") { advance() }
    }

    /// The names of a dotted key, up to what is no part of it.
    private mutating func readPath() -> [String] {
        var path: [String] = []
        while true {
            skipBlanks()
            path.append(readName())
            skipBlanks()
            guard peek() == UInt8(ascii: ".") else { return path }
            advance()
        }
    }

    private mutating func readName() -> String {
        let start = position
        if let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            skipString(quote)
            return String(decoding: bytes[start..<position].dropFirst().dropLast(), as: UTF8.self)
        }
        while let byte = peek(), !" \t\r\n.=]#\"'".utf8.contains(byte) { advance() }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Passes over a value and the rest of its last line.
    private mutating func skipValue() {
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(byte)
            case UInt8(ascii: "#"):
                while let byte = peek(), byte != UInt8(ascii: "\n") { advance() }
            default:
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth -= 1 }
                advance()
                if byte == UInt8(ascii: "\n"), depth <= 0 { return }
            }
        }
    }

    /// Passes over a text in quotes, which only three of them take beyond the end of the line.
    private mutating func skipString(_ quote: UInt8) {
        let isLong = peek(1) == quote && peek(2) == quote
        for _ in 0..<(isLong ? 3 : 1) { advance() }
        while let byte = peek() {
            if byte == UInt8(ascii: "\n"), !isLong { return }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                advance()
                // Not over the end of the line that ends the string.
                if isLong || peek() != UInt8(ascii: "\n") { advance() }
                continue
            }
            if byte == quote, !isLong || peek(1) == quote && peek(2) == quote {
                // Three quotes may have two more before them, which belong to the text.
                while peek() == quote { advance() }
                return
            }
            advance()
        }
    }
}
