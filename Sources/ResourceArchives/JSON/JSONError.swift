/// A place in a text, in the coordinates of editors.
struct TextPosition: Equatable, Sendable {
    /// The line, from 1.
    var line = 1
    /// The column in code points, from 1.
    var column = 1

    /// Advances past a byte of UTF-8.
    mutating func advance(past byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xc0 != 0x80 {
            column += 1
        }
    }
}

/// The first syntax error of a text that is not JSON.
struct JSONError: Error, Equatable {
    var position: TextPosition
    var message: String

    /// Creates an error at a byte of a text.
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
