internal import CLinux

extension String {
    /// The string in a form that is safe to print to a terminal or a log: text from a client is data, not instructions.
    ///
    /// Control characters (an escape sequence could repaint the screen, a newline could forge a log line), format
    /// characters (which reverse or hide the text around them), line and paragraph separators and the backslash become
    /// `\u{1b}`, with lowercase hexadecimal digits. So two different strings never look the same because of these
    /// characters. A string without them is returned unchanged, without a copy.
    package var escapedForDisplay: String {
        guard unicodeScalars.contains(where: { $0.needsEscape }) else { return self }
        var escaped = ""
        for scalar in unicodeScalars {
            if scalar.needsEscape {
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Unicode.Scalar {
    fileprivate var needsEscape: Bool { self == "\\" || scalar_is_control_or_format(value) }
}
