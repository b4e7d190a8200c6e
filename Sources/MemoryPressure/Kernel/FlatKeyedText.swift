/// The text of a flat-keyed file, each line a key, a blank and a number: `memory.events`, `memory.stat`, `/proc/vmstat`.
///
/// It borrows the bytes and is valid as long as they are. Source: cgroup-v2.rst, "Format".
struct FlatKeyedText {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The number of a key; `nil` if the key is missing or appears twice, or its value is not a number.
    ///
    /// Reads the whole text and allocates nothing. A line without a newline was cut together with the text, and counts
    /// as missing: its number may lack digits.
    subscript(key: StaticString) -> UInt64? {
        var number: UInt64?
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard let blank = line.firstIndex(of: UInt8(ascii: " ")),
                key.withUTF8Buffer({ line[..<blank].elementsEqual($0) })
            else { continue }
            guard number == nil, let value = UInt64(decimal: line[(blank + 1)...]) else { return nil }
            number = value
        }
        return number
    }
}
