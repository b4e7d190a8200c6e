internal import CLinux

extension String {
    /// The text in one line: control and format characters and line separators are written as escapes (`\n`, `\u{1b}`).
    ///
    /// Text from clients then cannot start a line of its own, send commands to a terminal, or reverse the text around
    /// it.
    var escapingControlCharacters: String {
        guard unicodeScalars.contains(where: { $0.disturbsLine }) else { return self }
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where scalar.disturbsLine:
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Unicode.Scalar {
    fileprivate var disturbsLine: Bool { scalar_is_control_or_format(value) }
}
