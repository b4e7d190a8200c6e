extension String {
    /// The text in one line: control characters and line separators are written as escapes (`\n`, `\u{1b}`).
    ///
    /// Text from clients cannot start a line of its own, nor send a terminal commands.
    var escapingControlCharacters: String {
        guard unicodeScalars.contains(where: \.breaksLineOrControlsTerminal) else { return self }
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where scalar.breaksLineOrControlsTerminal:
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1, and the two separators that Unicode adds to them.
    fileprivate var breaksLineOrControlsTerminal: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}
