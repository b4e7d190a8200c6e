internal import CSystemd
internal import Glibc

/// One entry in the form that sd_journal_sendv(3) takes: `NAME=value` pieces, one after the other in one buffer.
struct JournalEntry {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    init(_ priority: Journal.Priority, _ message: String, messageID: StaticString?, fields: [Journal.Field]) {
        append("MESSAGE", message)
        append("PRIORITY", String(priority.rawValue))
        if let messageID {
            let text = messageID.description
            precondition(Self.isMessageID(text), "not a message ID (32 lower-case hexadecimal digits): \(text)")
            append("MESSAGE_ID", text)
        }
        for field in fields {
            let name = field.name.description
            precondition(
                Self.isFieldName(name),
                "not a name for a journal field (A-Z, 0-9, _, a letter first): \(name)"
            )
            append(name, field.value)
        }
    }

    private mutating func append(_ name: String, _ value: String) {
        bytes += name.utf8
        bytes.append(UInt8(ascii: "="))
        bytes += value.utf8
        ends.append(bytes.count)
    }

    /// Sends the entry to the journal.
    ///
    /// A failure is dropped: the log was the place to tell it.
    func send() {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { buffer in
            var start = 0
            let pieces = ends.map { end in
                defer { start = end }
                return iovec(iov_base: buffer.baseAddress?.advanced(by: start), iov_len: end - start)
            }
            _ = sd_journal_sendv(pieces, CInt(pieces.count))
        }
    }

    /// The journal drops fields with other names, and keeps those that begin with `_` for itself.
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
