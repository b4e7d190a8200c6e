extension PressureStall {
    /// Why a text is not a PSI file.
    package enum ParseError: Error, Hashable, Sendable {
        /// There is no `some` line.
        case missingLine
        /// A line, or a field of a line, appears twice.
        case duplicate
        /// A known field is missing.
        case missingField
        /// A known field is not a number in range.
        case badNumber
    }

    /// Reads the text of a PSI file.
    ///
    /// All known fields have to appear once; lines and fields that a later kernel may add are skipped. Nothing is
    /// allocated.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(ParseError) {
        var some: Line?
        var full: Line?
        var rest = bytes[...]
        while let line = rest.nextToken(endingAt: UInt8(ascii: "\n")) {
            var fields = line
            guard let keyword = fields.nextToken(endingAt: UInt8(ascii: " ")) else { continue }
            if keyword.elementsEqual("some".utf8) {
                guard some == nil else { throw .duplicate }
                some = try Line(parsing: fields)
            } else if keyword.elementsEqual("full".utf8) {
                guard full == nil else { throw .duplicate }
                full = try Line(parsing: fields)
            }
        }
        guard let some else { throw .missingLine }
        self.init(some: some, full: full)
    }
}

extension PressureStall.Line {
    fileprivate init(parsing fields: Slice<UnsafeRawBufferPointer>) throws(PressureStall.ParseError) {
        var average10: Share?
        var average60: Share?
        var average300: Share?
        var total: UInt64?
        var rest = fields
        while let field = rest.nextToken(endingAt: UInt8(ascii: " ")) {
            var value = field
            guard let key = value.nextToken(endingAt: UInt8(ascii: "=")) else { continue }
            if key.elementsEqual("avg10".utf8) {
                try average10.setOnce(value.percent())
            } else if key.elementsEqual("avg60".utf8) {
                try average60.setOnce(value.percent())
            } else if key.elementsEqual("avg300".utf8) {
                try average300.setOnce(value.percent())
            } else if key.elementsEqual("total".utf8) {
                try total.setOnce(UInt64(decimal: value))
            }
        }
        guard let average10, let average60, let average300, let total else { throw .missingField }
        self.init(average10: average10, average60: average60, average300: average300, total: total)
    }
}

extension Optional {
    fileprivate mutating func setOnce(_ value: Wrapped?) throws(PressureStall.ParseError) {
        guard let value else { throw .badNumber }
        guard self == nil else { throw .duplicate }
        self = value
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Removes and returns the part before the next separator; `nil` when nothing is left.
    fileprivate mutating func nextToken(endingAt separator: UInt8) -> Self? {
        guard !isEmpty else { return nil }
        let end = firstIndex(of: separator) ?? endIndex
        let token = self[startIndex..<end]
        self = end < endIndex ? self[(end + 1)...] : self[endIndex...]
        return token
    }

    /// The whole slice as percent with decimals; digits beyond the second are cut off.
    fileprivate func percent() -> Share? {
        let point = firstIndex(of: UInt8(ascii: ".")) ?? endIndex
        guard let whole = UInt64(decimal: self[startIndex..<point]), whole <= 100 else { return nil }
        var hundredths: UInt64 = 0
        if point < endIndex {
            let decimals = self[(point + 1)...]
            guard !decimals.isEmpty, decimals.allSatisfy({ $0.digit != nil }) else { return nil }
            hundredths = (decimals.first?.digit ?? 0) * 10 + (decimals.dropFirst().first?.digit ?? 0)
        }
        return Share(basisPoints: UInt32(whole * 100 + hundredths))
    }
}

extension UInt8 {
    fileprivate var digit: UInt64? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? UInt64(self - UInt8(ascii: "0")) : nil
    }
}
