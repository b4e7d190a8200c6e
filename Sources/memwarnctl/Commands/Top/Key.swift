/// A key with a meaning in `top`.
enum Key: Equatable {
    case quit
    case sort
    case pause
    case up
    case down
    case pageUp
    case pageDown
}

/// Converts the bytes of a terminal to keys.
struct KeyReader {
    private static let names: [(text: String, key: Key)] = [
        ("q", .quit), ("Q", .quit), ("s", .sort), ("p", .pause), (" ", .pause), ("k", .up), ("j", .down),
        // The sequences of terminals in normal and in application mode.
        ("\u{1b}[A", .up), ("\u{1b}OA", .up), ("\u{1b}[B", .down), ("\u{1b}OB", .down),
        ("\u{1b}[5~", .pageUp), ("\u{1b}[6~", .pageDown),
    ]
    private static let keys = names.map { (bytes: Array($0.text.utf8), key: $0.key) }

    /// The beginning of a sequence whose rest has not come yet.
    private var unread: [UInt8] = []

    /// The keys in some bytes and in the rest of the previous ones; other bytes are dropped.
    mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        unread += bytes
        var keys: [Key] = []
        while let first = unread.first {
            if let match = Self.keys.first(where: { unread.starts(with: $0.bytes) }) {
                keys.append(match.key)
                unread.removeFirst(match.bytes.count)
            } else if Self.keys.contains(where: { $0.bytes.starts(with: unread) }) {
                break
            } else {
                unread.removeFirst(first == 0x1b ? sequenceLength : 1)
            }
        }
        return keys
    }

    /// The length of the escape sequence at the start of ``unread``: up to the letter or `~` that ends it.
    private var sequenceLength: Int {
        guard unread.count > 2, unread[1] == UInt8(ascii: "[") else { return min(2, unread.count) }
        let end = unread[2...].firstIndex { (0x40...0x7e).contains($0) }
        return end.map { $0 + 1 } ?? unread.count
    }
}
