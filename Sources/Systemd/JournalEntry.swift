internal import CLinux

/// One entry in the form that the journal's socket takes (`JOURNAL_NATIVE_PROTOCOL` of systemd).
struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    init(_ priority: Journal.Priority, _ message: String, messageID: StaticString?, fields: [Journal.Field]) {
        append("MESSAGE", message)
        append("PRIORITY", String(priority.rawValue))
        if let messageID {
            let text = messageID.description
            guard Self.isMessageID(text) else { trap("not a message ID (32 lower-case hexadecimal digits): \(text)") }
            append("MESSAGE_ID", text)
        }
        append("SYSLOG_IDENTIFIER", Self.program)
        for field in fields {
            let name = field.name.description
            guard Self.isFieldName(name) else {
                trap("not a name for a journal field (A-Z, 0-9, _, a letter first): \(name)")
            }
            append(name, field.value)
        }
    }

    /// `NAME=value` and a line break; a value with line breaks is sent with its length instead.
    private mutating func append(_ name: String, _ value: String) {
        let newline = UInt8(ascii: "\n")
        bytes += name.utf8
        if value.utf8.contains(newline) {
            bytes.append(newline)
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value.utf8
        bytes.append(newline)
    }

    /// The identifier for `journalctl -t`: the program's name.
    private static let program = String(cString: programName())

    /// The journal drops fields with other names, and reserves those that begin with `_`.
    private static func isFieldName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        return isUpperCaseLetter(first)
            && name.utf8.allSatisfy { isUpperCaseLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isMessageID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private static func isUpperCaseLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
