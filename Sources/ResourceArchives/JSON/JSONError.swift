/// A place in a text, as editors count.
struct TextPosition: Equatable, Sendable {
    /// The line, from 1.
    var line = 1
    /// The column in code points, from 1.
    var column = 1

    /// Goes past a byte of UTF-8.
    mutating func advance(past byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xc0 != 0x80 {
            column += 1
        }
    }
}

/// Why a text is not JSON, at the first place where it is not.
struct JSONError: Error, Equatable {
    var position: TextPosition
    var message: String

    /// At a byte of a text.
    init(_ message: String, at byte: Int, of bytes: [UInt8]) {
        position = TextPosition()
        for before in bytes[..<byte] { position.advance(past: before) }
        self.message = message
    }

    init(position: TextPosition, message: String) {
        self.position = position
        self.message = message
    }
}
