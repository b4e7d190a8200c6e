/// The form of numbers in a recording: seven bits a byte, the lowest first, with the top bit set on all but the last.
extension [UInt8] {
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends a signed number, with the sign in the lowest bit.
    mutating func append(signed number: Int64) {
        append(number: UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// Appends the change of a counter since an earlier value, which wraps around for a large decrease.
    mutating func append(from earlier: UInt64, to later: UInt64) {
        append(signed: Int64(bitPattern: later &- earlier))
    }

    mutating func append(text: String) {
        append(number: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

/// Reads the output of the extension above.
struct RecordingCursor {
    /// Why reading failed.
    enum Failure: Error {
        /// The bytes end in the middle.
        case cut
        /// The bytes are not valid in a recording.
        case damaged
        /// The bytes exceed the limits of the reader.
        case long
    }

    private let bytes: [UInt8]
    private(set) var offset: Int

    init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() throws(Failure) -> UInt8 {
        guard offset < bytes.count else { throw .cut }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() throws(Failure) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            let bits = UInt64(byte & 0x7f)
            // Only the lowest bit of the tenth byte fits.
            guard shift < 63 || bits <= 1 else { throw .damaged }
            number |= bits << shift
            if byte < 0x80 { return number }
        }
        throw .damaged
    }

    mutating func number(in range: ClosedRange<UInt64>) throws(Failure) -> UInt64 {
        let number = try number()
        guard range.contains(number) else { throw .damaged }
        return number
    }

    mutating func signed() throws(Failure) -> Int64 {
        let bits = try number()
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    /// Advances a counter to its next value.
    mutating func advance(_ counter: inout UInt64) throws(Failure) {
        counter &+= UInt64(bitPattern: try signed())
    }

    mutating func text(limit: Int) throws(Failure) -> String {
        let count = Int(try number(in: 0...UInt64(limit)))
        guard bytes.count - offset >= count else { throw .cut }
        defer { offset += count }
        guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else { throw .damaged }
        return text
    }
}
