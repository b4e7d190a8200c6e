internal import CLinux

/// A word in a configuration file that should be a decimal number.
struct ConfigurationNumber {
    /// Why it is not a number.
    struct Refusal: Error {
        let problem: String
    }

    private let word: [UInt8]
    private var position = 0
    /// The number, without the _ between digits.
    private var digits = ""

    init(_ word: String) {
        self.word = Array(word.utf8)
    }

    /// The number: an integer if it has neither a point nor an exponent.
    mutating func value() throws(Refusal) -> ConfigurationValue {
        takeSign()
        let whole = position
        guard takeDigits() else { throw Refusal(problem: other) }
        let hasLeadingZero = word[whole] == UInt8(ascii: "0") && position - whole > 1
        var isWhole = true
        if takeAny(of: ".") {
            isWhole = false
            guard takeDigits() else { throw Refusal(problem: other) }
        }
        if takeAny(of: "eE") {
            isWhole = false
            takeSign()
            guard takeDigits() else { throw Refusal(problem: other) }
        }
        guard position == word.count, !hasLeadingZero else { throw Refusal(problem: other) }
        if isWhole, let number = Int(digits) { return .integer(number) }
        // Not Double(String), which Embedded Swift has no part of; without setlocale(3) a point is a point.
        let number = strtod(digits, nil)
        guard !isWhole, number.isFinite else {
            throw Refusal(problem: "too large a number")
        }
        return .number(number, written: digits)
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < word.count ? word[position + offset] : nil
    }

    private static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private mutating func take() {
        digits.unicodeScalars.append(Unicode.Scalar(word[position]))
        position += 1
    }

    private mutating func takeAny(of bytes: StaticString) -> Bool {
        for index in 0..<bytes.utf8CodeUnitCount where peek() == bytes.utf8Start[index] {
            take()
            return true
        }
        return false
    }

    private mutating func takeSign() { _ = takeAny(of: "+-") }

    /// Reads digits with single _ between them.
    private mutating func takeDigits() -> Bool {
        guard Self.isDigit(peek()) else { return false }
        while true {
            if Self.isDigit(peek()) {
                take()
            } else if peek() == UInt8(ascii: "_"), Self.isDigit(peek(1)) {
                position += 1
            } else {
                return true
            }
        }
    }

    /// A description of the word, if it is not a number.
    private var other: String {
        let unsigned = word.first == UInt8(ascii: "+") || word.first == UInt8(ascii: "-") ? word.dropFirst() : word[...]
        if unsigned.elementsEqual("inf".utf8) || unsigned.elementsEqual("nan".utf8) {
            return "not a value that a key accepts"
        }
        guard Self.isDigit(unsigned.first) else { return "not a value; put a text in quotes" }
        let second = unsigned.dropFirst().first
        if unsigned.first == UInt8(ascii: "0"), second.map({ "xob".utf8.contains($0) }) ?? false {
            return "in a base other than ten, which is not supported"
        }
        let isDate =
            unsigned.dropFirst(4).first == UInt8(ascii: "-") && unsigned.prefix(4).allSatisfy { Self.isDigit($0) }
        if isDate || unsigned.contains(UInt8(ascii: ":")) { return "a date or a time, which no key accepts" }
        return "not a number, which has only digits, at most one point and no leading zero; put a duration in quotes"
    }
}
