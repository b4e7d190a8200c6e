extension JSONReader {
    /// Skips the next number.
    mutating func skipNumber() throws(JSONError) {
        let start = index
        _ = take("-")
        if !take("0") { try skipDigits() }
        if take(".") { try skipDigits() }
        let exponent = index
        if take("e") || take("E") {
            if !take("-") { _ = take("+") }
            try skipDigits()
        }
        // A `Double` holds numbers below 10^100 · 10^99, and most are no larger; the others are converted.
        guard exponent - start > 100 || index - exponent > 3 else { return }
        guard Self.number(bytes[start..<index]).isFinite else {
            let text = String(decoding: bytes[start..<index], as: UTF8.self)
            throw error("\(text.shownInMessage) is too large a number", at: start)
        }
    }

    /// The number that begins at a byte and has been read before.
    static func number(in bytes: [UInt8], at start: Int) -> JSONValue {
        var reader = Self(bytes, at: start)
        if let integer = reader.integer() { return .integer(integer) }
        reader.index = start
        // It is valid, or the first reading would have ended there.
        try? reader.skipNumber()
        return .number(number(bytes[start..<reader.index]))
    }

    private mutating func skipDigits() throws(JSONError) {
        guard let digit = next, Self.isDigit(digit) else { throw unexpected("a digit") }
        while let digit = next, Self.isDigit(digit) { index += 1 }
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Double {
        Double(String(decoding: text, as: UTF8.self)) ?? .infinity
    }

    /// A number without a fraction and an exponent that fits in 64 bits; `nil` for others.
    private mutating func integer() -> Int? {
        let isNegative = take("-")
        var value = 0
        while let byte = next, Self.isDigit(byte) {
            let digit = Int(byte - UInt8(ascii: "0"))
            let (tens, isOver) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOverAgain) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !isOver, !isOverAgain else { return nil }
            value = sum
            index += 1
        }
        switch next {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return nil
        default: return value
        }
    }
}
