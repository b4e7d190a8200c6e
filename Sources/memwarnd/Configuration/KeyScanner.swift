import MemwarnProtocol

/// Goes through a text in TOML from one key to the next and passes over values, in one pass and whatever the text is.
///
/// It ends at what is nested deeper than ``depth``: the parser, and what reads its tables, call themselves for each part
/// of a key and each bracket, and thousands of them take more stack than there is.
struct KeyScanner {
    /// Of so many parts a key may be, and so many brackets may be open at a time; real keys have up to two, and no brackets
    /// inside of others.
    static let depth = 15

    enum Statement {
        case table([String], line: Int)
        case key([String], line: Int)
    }

    /// What ends the scan before the text does.
    private(set) var stumble: ConfigurationSource.Stumble?
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ text: String) {
        // A byte order mark is no part of the first key.
        bytes = Array(text.unicodeScalars.first == "\u{FEFF}" ? text.utf8.dropFirst(3) : text.utf8[...])
    }

    mutating func next() -> Statement? {
        while stumble == nil, let byte = peek() {
            let start = line
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
            case UInt8(ascii: "#"): skipLine()
            case UInt8(ascii: "["):
                advance()
                skipBlanks()
                if peek() == UInt8(ascii: "[") {
                    advance()
                    skipBlanks()
                }
                guard startsName else {
                    stumble("expected the name of a table after [", line: start)
                    return nil
                }
                guard let path = readPath() else { return nil }
                skipLine()
                return .table(path, line: start)
            default:
                guard let path = readPath() else { return nil }
                guard peek() == UInt8(ascii: "=") else {
                    skipLine()
                    continue
                }
                advance()
                skipValue(of: path)
                return .key(path, line: start)
            }
        }
        return nil
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        bytes.indices.contains(position + offset) ? bytes[position + offset] : nil
    }

    /// Whether a key can begin here: with a letter, a figure, - or _, or in quotes.
    private var startsName: Bool {
        guard let byte = peek() else { return false }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return letters.contains(byte | 0x20) || isDigit(at: 0) || "-_\"'".utf8.contains(byte)
    }

    private func isDigit(at offset: Int) -> Bool {
        peek(offset).map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private mutating func advance() {
        guard position < bytes.count else { return }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private mutating func stumble(_ problem: String, line: Int? = nil) {
        stumble = ConfigurationSource.Stumble(line: line ?? self.line, problem: problem)
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

    /// The names of a dotted key, up to what is no part of it; `nil` if there are too many.
    private mutating func readPath() -> [String]? {
        var path: [String] = []
        while path.count < Self.depth {
            skipBlanks()
            path.append(readName())
            skipBlanks()
            guard peek() == UInt8(ascii: ".") else { return path }
            advance()
        }
        stumbleOverDepth("the key \(Self.start(of: path + ["…"])) has", "parts")
        return nil
    }

    /// As much of a key as fits into a message.
    private static func start(of path: [String]) -> String {
        let key = path.joined(separator: ".")
        let start = key.prefix(utf8: 40)
        return start.escapedForDisplay + (start.utf8.count < key.utf8.count ? "…" : "")
    }

    private mutating func stumbleOverDepth(_ problem: String, _ unit: String) {
        stumble("\(problem) more than \(Self.depth) \(unit); no key here has more than two, and no value needs more")
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
    private mutating func skipValue(of path: [String]) {
        var closers: [UInt8] = []
        // Since the last thing that a key inside of braces can follow; a number has no more than one.
        var dots = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString(byte)
                continue
            case UInt8(ascii: "#"):
                while let byte = peek(), byte != UInt8(ascii: "\n") { advance() }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                guard closers.count < Self.depth else {
                    return stumbleOverDepth("the value of \(Self.start(of: path)) has", "brackets open at once")
                }
                closers.append(byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}"))
                dots = 0
            case UInt8(ascii: ","), UInt8(ascii: "="): dots = 0
            case UInt8(ascii: "."):
                dots += 1
                guard dots < Self.depth else {
                    return stumbleOverDepth("a key in the value of \(Self.start(of: path)) has", "parts")
                }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard closers.popLast() == byte else { return stumble("there is a closing bracket too many") }
            case UInt8(ascii: "t"), UInt8(ascii: "T"):
                guard !isDigit(at: -1) || isDigit(at: 1) else {
                    return stumble("expected a time after the T of a date")
                }
            case 0x80...: return stumble("expected quotes around a text with letters beyond ASCII")
            default: break
            }
            advance()
            if byte == UInt8(ascii: "\n"), closers.isEmpty { return }
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
